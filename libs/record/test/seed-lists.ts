import { readFileSync } from 'node:fs';
import { csvRecords } from '../src/sheet/csv-rows.ts';
import { indexReferences } from '../src/reference/reference.ts';
import type { ListName, ReferenceLists, References, SubstanceEntry } from '../src/reference/reference.ts';

const seeds = new URL('../../../apps/dataset-svc/seeds/', import.meta.url);

/** Returns the rows of a seed file without their empty cells. */
function rowsOf(file: string): Record<string, string>[] {
  return csvRecords(readFileSync(new URL(file, seeds), 'utf8')).map((row) =>
    Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '')),
  );
}

const split = (cell: string | undefined): string[] => (cell === undefined ? [] : cell.split('|'));

function substances(file: string): SubstanceEntry[] {
  return rowsOf(file).map(({ name = '', kind = '', aliases, pubchemCid, ...others }, i) => ({
    id: i + 1,
    name,
    kind,
    aliases: split(aliases),
    ...others,
    ...(pubchemCid === undefined ? {} : { pubchemCid: Number(pubchemCid) }),
  }));
}

const listNames: Record<string, ListName> = {
  polymers: 'polymers',
  solvents: 'solvents',
  units: 'units',
  morphologies: 'morphologies',
  instabilities: 'instabilities',
};

export const seedLists: ReferenceLists = {
  revision: 1,
  polymers: substances('polymers.csv'),
  solvents: substances('solvents.csv'),
  units: rowsOf('units.csv').map((row, i) => {
    const { unit = '', name = '', dimension = '', canonical, factor, offset, aliases, ucumCode, qudtUri } = row;
    return {
      id: i + 1,
      unit,
      name,
      dimension,
      aliases: split(aliases),
      ...(canonical === undefined ? {} : { canonical }),
      ...(factor === undefined ? {} : { factor: Number(factor), offset: Number(offset) }),
      ...(ucumCode === undefined ? {} : { ucumCode }),
      ...(qudtUri === undefined ? {} : { qudtUri }),
    };
  }),
  morphologies: rowsOf('morphologies.csv').map(
    ({ category = '', label = '', abbreviation, definition = '', synonyms }, i) => ({
      id: i + 1,
      category,
      label,
      definition,
      synonyms: split(synonyms),
      ...(abbreviation === undefined ? {} : { abbreviation }),
    }),
  ),
  instabilities: rowsOf('instabilities.csv').map(({ label = '', category = '', definition = '', synonyms }, i) => ({
    id: i + 1,
    label,
    category,
    definition,
    synonyms: split(synonyms),
  })),
  ambiguous: rowsOf('ambiguous.csv').flatMap(({ list = '', text = '', meanings }) => {
    const known = listNames[list];
    return known === undefined ? [] : [{ list: known, text, meanings: split(meanings) }];
  }),
};

export const references: References = indexReferences(seedLists);
