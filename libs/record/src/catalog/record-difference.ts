import { recordFields } from './catalog.ts';
import type { ExperimentData, Field, Fields } from './catalog.ts';
import { sortMembers } from './public-record.ts';

/** One difference between two revisions of a record; a side without a value is absent. */
export interface FieldDifference {
  /**
   * The path from the record to the field, as in `processParameter.voltage`. A list item that only one side has is one
   * difference, as in `polymerProperty.polymerComponents[1]`. Lists of labels and free objects are compared as a whole.
   */
  readonly path: string;
  readonly published?: unknown;
  readonly proposed?: unknown;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Lists the fields that differ, in catalog order. Ignores the member order of free objects; an empty group equals an
 * absent one.
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
