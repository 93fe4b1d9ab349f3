import type { EntryList, LIST_NAMES } from '@esd/record/reference/list-names';

/** An entry of a reference list. */
export interface Entry extends Readonly<Record<string, unknown>> {
  readonly id: number;
  readonly retired?: boolean | undefined;
}

export interface ListField {
  readonly member: string;
  readonly label: string;
  readonly hint?: string;
  /** A text by default. `texts` and `authors` have one item per line. */
  readonly kind?: 'texts' | 'number' | 'authors';
  readonly isRequired?: true;
}

export type ListName = (typeof LIST_NAMES)[number];

interface List {
  readonly title: string;
  readonly singular: string;
  readonly fields: readonly ListField[];
}

const aliases: ListField = { member: 'aliases', label: 'Aliases', hint: 'One per line.', kind: 'texts' };
const substance: readonly ListField[] = [
  {
    member: 'name',
    label: 'Name',
    hint: 'The name stored in records. Old names become aliases.',
    isRequired: true,
  },
  { member: 'fullName', label: 'Full name' },
  { member: 'abbreviation', label: 'Abbreviation' },
  { member: 'casNumber', label: 'CAS number' },
  { member: 'kind', label: 'Kind', hint: 'For example polymer, copolymer, or solvent.' },
  aliases,
  {
    member: 'sameAs',
    label: 'Same as',
    hint: 'The name of the entry that this one counts as, such as WATER for distilled water.',
  },
];
const label: readonly ListField[] = [
  { member: 'label', label: 'Label', hint: 'The label stored in records.', isRequired: true },
  { member: 'category', label: 'Category', isRequired: true },
  { member: 'definition', label: 'Definition', isRequired: true },
  { ...aliases, member: 'synonyms', label: 'Synonyms' },
];

/** The reference lists with the members of their entries. Except for papers, the first member is the entry's own name. */
export const LISTS: Readonly<Record<EntryList, List>> = {
  polymers: { title: 'Polymers', singular: 'polymer', fields: substance },
  solvents: {
    title: 'Solvents',
    singular: 'solvent',
    fields: [
      ...substance,
      { member: 'inchiKey', label: 'InChIKey' },
      { member: 'pubchemCid', label: 'PubChem CID', kind: 'number' },
    ],
  },
  units: {
    title: 'Units',
    singular: 'unit',
    fields: [
      { member: 'unit', label: 'Unit', hint: 'The unit as written in records.', isRequired: true },
      { member: 'name', label: 'Name', isRequired: true },
      { member: 'dimension', label: 'Dimension', hint: 'Cannot be changed later.', isRequired: true },
      { member: 'canonical', label: 'Canonical unit' },
      {
        member: 'factor',
        label: 'Factor',
        hint: 'Canonical value = value × factor + offset. Cannot be changed later.',
        kind: 'number',
      },
      { member: 'offset', label: 'Offset', hint: 'Cannot be changed later.', kind: 'number' },
      aliases,
      { member: 'ucumCode', label: 'UCUM code' },
      { member: 'qudtUri', label: 'QUDT URI' },
    ],
  },
  morphologies: {
    title: 'Morphologies',
    singular: 'morphology',
    fields: [...label, { member: 'abbreviation', label: 'Abbreviation' }],
  },
  instabilities: { title: 'Instabilities', singular: 'instability', fields: label },
  papers: {
    title: 'Papers',
    singular: 'paper',
    fields: [
      {
        member: 'doi',
        label: 'DOI',
        hint: 'In any spelling, or the text that records have instead.',
        isRequired: true,
      },
      { member: 'title', label: 'Title', isRequired: true },
      {
        member: 'authors',
        label: 'Authors',
        hint: 'One per line: Family, Given (ORCID). Put the name of a group in quotation marks.',
        kind: 'authors',
      },
      { member: 'year', label: 'Year', kind: 'number' },
      { member: 'journal', label: 'Journal' },
      { member: 'publisher', label: 'Publisher' },
      { member: 'url', label: 'URL' },
    ],
  },
};
