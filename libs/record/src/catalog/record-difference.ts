import { recordFields } from './catalog.ts';
import type { ExperimentData, Field, Fields } from './catalog.ts';
import { sortMembers } from './public-record.ts';

/** One difference between two states of a record; a side is absent where it has no value. */
export interface FieldDifference {
  /**
   * Leads from the record to the field, as in `processParameter.voltage`. An item of a list that only one side has is
   * one change, as in `polymerProperty.polymerComponents[1]`; lists of labels and free objects are values as a whole.
   */
  readonly path: string;
  readonly published?: unknown;
  readonly proposed?: unknown;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * What has to change in `published` to get `proposed`, field by field in the order of the catalog. The order of the
 * members of a free object does not matter; a group without members is the same as none.
 */
export function recordDifference(published: ExperimentData, proposed: ExperimentData): FieldDifference[] {
  return differenceOfMembers('', recordFields, published, proposed);
}

function differenceOfMembers(base: string, fields: Fields, published: Values, proposed: Values): FieldDifference[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = base === '' ? name : `${base}.${name}`;
    const changes = differenceOfField(path, field, published[name], proposed[name]);
    if (field.kind !== 'quantity') return changes;
    const unit = `${name}Unit`;
    return [...changes, ...differenceOfValues(`${path}Unit`, published[unit], proposed[unit])];
  });
}

function differenceOfField(path: string, field: Field, published: unknown, proposed: unknown): FieldDifference[] {
  if (field.kind === 'group') {
    return differenceOfMembers(path, field.fields, valuesOf(published), valuesOf(proposed));
  }
  if (field.kind !== 'list') return differenceOfValues(path, published, proposed);
  const [before, after] = [itemsOf(published), itemsOf(proposed)];
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => {
    const [from, to] = [before[index], after[index]];
    const at = `${path}[${index}]`;
    if (from === undefined || to === undefined) return differenceOfValues(at, from, to);
    return differenceOfMembers(at, field.fields, valuesOf(from), valuesOf(to));
  }).flat();
}

function differenceOfValues(path: string, published: unknown, proposed: unknown): FieldDifference[] {
  if (textOf(published) === textOf(proposed)) return [];
  return [
    {
      path,
      ...(published === undefined ? {} : { published }),
      ...(proposed === undefined ? {} : { proposed }),
    },
  ];
}

const textOf = (value: unknown): string | undefined => JSON.stringify(sortMembers(value));

function valuesOf(value: unknown): Values {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
