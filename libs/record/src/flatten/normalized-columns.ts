import { type Feature, features, type PaperKey, paperKeys } from '../filter/filter-keys.ts';
import { describedKeys } from '../metadata/key-labels.ts';
import { flattenedColumns } from './flatten.ts';
import { isObject } from '../validate/is-object.ts';

function columnOf(key: string): string {
  const column = describedKeys.find((described) => described.key === key)?.normalizedColumn;
  if (column === undefined) throw new Error(`The catalog has no normalized column of ${key}.`);
  return column;
}

/** The first columns of files, in the order of the first software release. The others are in the order of the catalog. */
const FIRST: readonly Feature[] = ['voltage', 'flowRate', 'tipDist', 'concentration', 'temp', 'humidity'];
const others = features.flatMap(({ feature }) => (FIRST.includes(feature) ? [] : [feature]));

const entries: readonly (readonly [feature: Feature, column: string])[] = [...FIRST, ...others].map((feature) => [
  feature,
  columnOf(feature),
]);

/**
 * The column of each feature, in file order. The column name ends with the unit. A feature without a unit has its
 * flattened column.
 */
export const normalizedColumnOf = Object.fromEntries(entries) as Readonly<Record<Feature, string>>;

/** The columns of the paper of a record, after all others. */
export const paperColumnOf = Object.fromEntries(paperKeys.map((key) => [key, columnOf(key)])) as Readonly<
  Record<PaperKey, string>
>;

/** The columns that files have in addition to the flattened ones. */
export const normalizedColumns: readonly string[] = [
  ...entries.map(([, column]) => column),
  ...Object.values(paperColumnOf),
].filter((column) => !flattenedColumns.includes(column));

/**
 * Returns the normalized values of a record in read form, and the year and journal of its paper, by column. Missing values are absent.
 * Throws without `normalized` or `paper`.
 */
export function normalizedCells(record: unknown): Readonly<Record<string, number | string>> {
  const { normalized: values, paper } = isObject(record) ? record : {};
  if (!isObject(values) || !isObject(paper)) throw new Error('record without normalized values');
  const { year, journal } = paper;
  return {
    ...Object.fromEntries(
      entries.flatMap(([feature, column]): [string, number][] => {
        const value = values[feature];
        return typeof value === 'number' ? [[column, value]] : [];
      }),
    ),
    ...(typeof year === 'number' ? { [paperColumnOf.year]: year } : {}),
    ...(typeof journal === 'string' ? { [paperColumnOf.journal]: journal } : {}),
  };
}
