import { z } from 'zod';

/** The name of the dataset as it is now, of which no release has it. */
export const LATEST = 'latest';

/** A release in a path that may hold slashes: an identifier, or a DOI as it is, with or without its resolver. */
export const releasePath = z
  .array(z.string())
  // A proxy may have merged the two slashes of a URL.
  .transform((segments) => segments.join('/').replace(/^(https?:)\/(?!\/)/, '$1//'))
  .meta({ type: 'string', description: 'A version identifier, or a DOI with plain slashes.' });
