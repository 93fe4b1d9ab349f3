import type { ExperimentData } from './catalogue.ts';
import { normalizeDoi } from './doi.ts';
import { sortMembers } from './public-record.ts';

/** A record's data as one text, the same for the same data whatever the order of its members. */
export function contentText(data: ExperimentData): string {
  return JSON.stringify(sortMembers(data));
}

/**
 * What two records have in common that are likely the same one: the values, and the DOI as DOIs are compared. Titles,
 * devices and images do not count. Undefined without a DOI or without a value: such records are alike too often.
 */
export function duplicateText(data: ExperimentData): string | undefined {
  const { researchMetadata, fiberImages: _, ...values } = data;
  const doi = researchMetadata?.doi;
  if (doi === undefined || Object.keys(values).length === 0) return undefined;
  return contentText({ ...values, researchMetadata: { doi: normalizeDoi(doi) } });
}
