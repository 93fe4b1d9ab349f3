import type { SortKey as WireSortKey } from '@esd/proto/esd/dataset/v1/dataset';
import { type FieldSelection, fieldsText, parseFields } from '@esd/record/catalog/chosen-fields';
import { type SortKey, sortKeyOf } from '@esd/record/filter/sort-keys';
import { ServiceError } from '@esd/service/errors';

/** Reads a sort key. Throws INVALID_PARAMETER for a key that only a newer gateway knows. */
export function readSortKey({ key, descending }: WireSortKey): SortKey {
  const known = sortKeyOf(key);
  if (known === undefined) throw new ServiceError('INVALID_PARAMETER', `The sort key \`${key}\` is unknown.`);
  return { key: known, descending };
}

/** Reads the requested members; empty means all. Throws INVALID_PARAMETER for a member that only a newer gateway knows. */
export function readFields(fields: readonly string[]): FieldSelection {
  if (fields.length === 0) return [];
  const parsed = parseFields(fieldsText(fields));
  if ('problem' in parsed) throw new ServiceError('INVALID_PARAMETER', `\`fields\` ${parsed.problem}.`);
  return parsed.fields;
}
