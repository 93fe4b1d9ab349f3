import { z } from 'zod';

export { LATEST } from '@esd/record/metadata/dataset-path';

/** A text with plain slashes in a wildcard path. */
export const wildcardText = z
  .array(z.string())
  // A proxy may have merged the two slashes of a URL.
  .transform((segments) => segments.join('/').replace(/^(https?:)\/(?!\/)/, '$1//'));

/** The release in a wildcard path: an identifier, or a DOI with plain slashes, with or without its resolver. */
export const releasePath = wildcardText.meta({
  type: 'string',
  description: 'A release identifier, or a DOI with plain slashes.',
});
