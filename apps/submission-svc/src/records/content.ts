import { createHash } from 'node:crypto';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { sortMembers } from '@esd/record/catalog/public-record';
import { normalizeDoi } from '@esd/record/metadata/doi';

/** A record's data as one text, the same for the same data whatever the order of its members. */
export function contentText(data: ExperimentData): string {
  return JSON.stringify(sortMembers(data));
}

/** SHA-256 of the content text. */
export function contentHash(data: ExperimentData): Buffer {
  return sha256(contentText(data));
}

/**
 * What two records have in common that are likely duplicates: the values, and the DOI as DOIs are compared. Titles, devices
 * and images do not count. Undefined without a DOI or without a value: such records are alike too often.
 */
export function duplicateText(data: ExperimentData): string | undefined {
  const { researchMetadata, fiberImages: _, ...values } = data;
  const doi = researchMetadata?.doi;
  if (doi === undefined || Object.keys(values).length === 0) return undefined;
  return contentText({ ...values, researchMetadata: { doi: normalizeDoi(doi) } });
}

/** SHA-256 of the duplicate text; null without one. */
export function duplicateHash(data: ExperimentData): Buffer | null {
  const text = duplicateText(data);
  return text === undefined ? null : sha256(text);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
