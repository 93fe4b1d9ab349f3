import type { PaperFacts } from '../papers/paper.ts';
import type { PaperKey } from './filter-keys.ts';

/** The values of a paper that filters compare. */
export type PaperValues = Pick<PaperFacts, PaperKey>;

/** Returns the text of a paper for a key; undefined if the list of papers does not give one. */
export function paperText(paper: PaperValues | undefined, key: PaperKey): string | undefined {
  const value = paper?.[key];
  return value === undefined ? undefined : String(value);
}
