import { createHash } from 'node:crypto';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { sortMembers } from '@esd/record/catalog/public-record';
import { normalizeDoi } from '@esd/record/metadata/doi';

/** Serializes a record's data; the text does not depend on the order of members. */
export function contentText(data: ExperimentData): string {
  return JSON.stringify(sortMembers(data));
}

export function contentHash(data: ExperimentData): Buffer {
  return sha256(contentText(data));
}

/** Returns the text that likely duplicates share; undefined without a DOI or values, because many such records match. */
export function duplicateText(data: ExperimentData): string | undefined {
  const { researchMetadata, fiberImages: _, ...values } = data;
  const doi = researchMetadata?.doi;
  if (doi === undefined || Object.keys(values).length === 0) return undefined;
  return contentText({ ...values, researchMetadata: { doi: normalizeDoi(doi) } });
}

export function duplicateHash(data: ExperimentData): Buffer | null {
  const text = duplicateText(data);
  return text === undefined ? null : sha256(text);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
