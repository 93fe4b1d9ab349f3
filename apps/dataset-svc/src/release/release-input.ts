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

/** Returns the identifier of a release. Throws INVALID_REQUEST for a text that cannot be one. */
export function readIdentifier(text: string): string {
  if (isReleaseIdentifier(text)) return text;
  throw new ServiceError(
    'INVALID_REQUEST',
    `"${shorten(text)}" is not a release identifier. Use vMAJOR.MINOR.PATCH, such as v1.0.0, or v1.1.0-rc.1 for a pre-release.`,
  );
}

/** Returns a normalized DOI. Throws INVALID_REQUEST for an invalid DOI or one that a URL path cannot contain. */
export function readDoi(text: string): string {
  const doi = normalizeDoi(text);
  if (endsInSubPath(doi.replaceAll('%2f', '/'))) {
    throw new ServiceError(
      'INVALID_REQUEST',
      `"${shorten(text)}" ends like a path of the API. Choose a DOI with another ending.`,
    );
  }
  if (isDoi(doi)) return readPlainText('doi', doi, 1, MAX_DOI_LENGTH);
  throw new ServiceError(
    'INVALID_REQUEST',
    `"${shorten(text)}" is not a DOI. Use a form such as 10.5281/zenodo.1234567.`,
  );
}

export function readLicense(text: string): string {
  return readPlainText('license', text, 1, MAX_LICENSE_LENGTH);
}

/** Reads the facts of the dataset from JSON text. Throws INVALID_REQUEST that names each invalid member. */
export function readFacts(json: string): DatasetFacts {
  try {
    return parseDatasetFacts(json, '`dataset`');
  } catch (error) {
    throw new ServiceError('INVALID_REQUEST', error instanceof Error ? error.message : String(error), { cause: error });
  }
}

export function readDescription(text: string): string {
  return readPlainText('description', text, 1, MAX_DESCRIPTION_LENGTH);
}
