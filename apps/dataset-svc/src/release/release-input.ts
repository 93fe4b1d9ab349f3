import { parseDatasetFacts } from '@esd/dataset-client/dataset-facts';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import { endsInSubPath } from '@esd/record/metadata/dataset-path';
import { isDoi, normalizeDoi } from '@esd/record/metadata/doi';
import { shorten } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import { readPlainText } from '../plain-text.ts';

const MAX_DOI_LENGTH = 256;
const MAX_LICENSE_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 4_000;
// Semantic Versioning 2.0.0 without build metadata: numbers without leading zeros.
const NUMBER = '(?:0|[1-9]\\d{0,8})';
const PART = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const IDENTIFIER = new RegExp(`^v${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${PART}(?:\\.${PART})*)?$`);
const MAX_IDENTIFIER_LENGTH = 64;

/** Returns whether a text is an identifier of a release: `vMAJOR.MINOR.PATCH`, with an optional pre-release as in `v1.0.0-rc.1`. */
export function isReleaseIdentifier(text: string): boolean {
  return text.length <= MAX_IDENTIFIER_LENGTH && IDENTIFIER.test(text);
}

/** Throws INVALID_REQUEST for a text that cannot be the identifier of a release. */
export function readIdentifier(text: string): string {
  if (isReleaseIdentifier(text)) return text;
  throw new ServiceError(
    'INVALID_REQUEST',
    `"${shorten(text)}" is no version identifier; write vMAJOR.MINOR.PATCH such as v1.0.0, with a pre-release as in v1.1.0-rc.1 if it is one.`,
  );
}

/** A DOI in the form in which it is kept. Throws INVALID_REQUEST for what is none, or no path could name. */
export function readDoi(text: string): string {
  const doi = normalizeDoi(text);
  if (endsInSubPath(doi.replaceAll('%2f', '/'))) {
    throw new ServiceError(
      'INVALID_REQUEST',
      `"${shorten(text)}" ends like a path of the interface under a version; choose a DOI that does not.`,
    );
  }
  if (isDoi(doi)) return readPlainText('doi', doi, 1, MAX_DOI_LENGTH);
  throw new ServiceError('INVALID_REQUEST', `"${shorten(text)}" is no DOI; write it as 10.5281/zenodo.1234567.`);
}

/** Throws INVALID_REQUEST for a license that is empty, too long or no text. */
export function readLicense(text: string): string {
  return readPlainText('license', text, 1, MAX_LICENSE_LENGTH);
}

/** What is said of a dataset, from JSON text. Throws INVALID_REQUEST that names each member that is wrong. */
export function readFacts(json: string): DatasetFacts {
  try {
    return parseDatasetFacts(json, '`dataset`');
  } catch (error) {
    throw new ServiceError('INVALID_REQUEST', error instanceof Error ? error.message : String(error), error);
  }
}

/** Throws INVALID_REQUEST for a description that is empty, too long or no text. */
export function readDescription(text: string): string {
  return readPlainText('description', text, 1, MAX_DESCRIPTION_LENGTH);
}
