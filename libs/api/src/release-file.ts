import { z } from 'zod';

export const releaseFile = z.strictObject({
  format: z.string(),
  bytes: z.int(),
  sha256: z.string().meta({ description: 'SHA-256 of the file in hexadecimal.' }),
});
