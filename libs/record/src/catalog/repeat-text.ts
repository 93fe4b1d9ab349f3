import { paperTerm } from '../filter/text-terms.ts';
import type { ExperimentData } from './catalog.ts';
import { publicData, sortMembers } from './public-record.ts';

/**
 * Returns a text that is equal for two records exactly if they repeat each other: they name the same paper, and their
 * published members are equal. Titles and images are not compared, DOIs are normalized, and lists have any order.
 * Undefined without a paper, because such a record repeats no other one.
 */
export function repeatText(data: ExperimentData): string | undefined {
  const doi = paperTerm(data);
  if (doi === '') return undefined;
  const researchMetadata = { ...data.researchMetadata, publicationTitle: undefined, doi };
  return JSON.stringify(sortLists(sortMembers(publicData({ ...data, fiberImages: undefined, researchMetadata }))));
}

/** Sorts the items of all lists, because their order has no meaning. */
export function sortLists(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => JSON.stringify(sortLists(item)));
    return items.sort();
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sortLists(member)]));
}
