import type { ListName } from './reference.ts';

/** The reference lists whose entries have names. */
export const LIST_NAMES = [
  'polymers',
  'solvents',
  'units',
  'morphologies',
  'instabilities',
] as const satisfies ListName[];

/** All reference lists of entries. The audit covers them. */
export const ALL_LISTS = [...LIST_NAMES, 'papers'] as const;
export type EntryList = (typeof ALL_LISTS)[number];
