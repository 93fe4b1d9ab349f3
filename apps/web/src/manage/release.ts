import * as z from 'zod/mini';

export const release = z.object({
  id: z.number(),
  versionIdentifier: z.string(),
  recordCount: z.number(),
  createdAt: z.string(),
  doi: z.nullable(z.string()),
  license: z.nullable(z.string()),
  description: z.optional(z.string()),
});
export type Release = z.output<typeof release>;
