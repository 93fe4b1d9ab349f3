import type { ExperimentData } from '../catalog/catalog.ts';
import type { FileFormatName } from '../catalog/file-formats.ts';
import { features, isSolventFeature } from '../filter/filter-keys.ts';
import { columnTypes, memberOfColumn, namesAt } from './flatten.ts';
import { normalizedColumnOf, paperColumnOf } from './normalized-columns.ts';

export interface FileColumn {
  readonly name: string;
  readonly type: 'integer' | 'number' | 'boolean' | 'string' | 'list<string>';
  /** The unit as the unit list spells it; null without a unit, or if another column contains the unit. */
  readonly unit: string | null;
}

const LISTS = {
  polymers: 'polymer_components',
  solvents: 'solvent_components',
  morphologies: 'morphology',
  instabilities: 'process_instability',
} as const;

/** The columns of names and labels as lists, each with its flattened column. */
export const nameLists: readonly (readonly [name: string, column: string])[] = Object.entries(LISTS);

const flat: readonly FileColumn[] = [...columnTypes].map(([name, type]) => ({
  name,
  type: type === 'text' ? 'string' : type,
  unit: null,
}));

const numbers = Object.entries(normalizedColumnOf).flatMap(([feature, name]) => {
  const unit = features.find((one) => one.feature === feature)?.unit ?? null;
  return columnTypes.has(name) ? [] : [{ feature, column: { name, type: 'number', unit } satisfies FileColumn }];
});

/** The first columns are those of csv. Readers find the others by name, because a field adds a number in catalog order. */
export const parquetColumns: readonly FileColumn[] = [
  ...flat,
  ...numbers.flatMap(({ feature, column }) => (isSolventFeature(feature) ? [] : [column])),
  ...Object.keys(LISTS).map((name): FileColumn => ({ name, type: 'list<string>', unit: null })),
  ...numbers.flatMap(({ feature, column }) => (isSolventFeature(feature) ? [column] : [])),
  { name: paperColumnOf.year, type: 'integer', unit: null },
  { name: paperColumnOf.journal, type: 'string', unit: null },
];

/** Returns the columns of a file of all records; undefined for formats without columns. */
export function columnsOf(format: FileFormatName): readonly FileColumn[] | undefined {
  if (format === 'parquet') return parquetColumns;
  return format === 'csv' || format === 'xlsx' ? flat : undefined;
}

/** Returns the lists of a record by column; missing lists are absent. */
export function listCells(data: ExperimentData): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(LISTS).flatMap(([name, column]) => {
      const columnMember = memberOfColumn(column);
      const names = columnMember && namesAt(data, columnMember);
      return names === undefined ? [] : [[name, names] as const];
    }),
  );
}
