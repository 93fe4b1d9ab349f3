import { z } from 'zod';

/** A stored file of a version. */
export const versionFile = z.strictObject({
  format: z.string(),
  bytes: z.int(),
  sha256: z.string().meta({ description: 'Of the file, hexadecimal.' }),
});
