import * as z from 'zod/mini';

/** A paper with its records. */
const entry = z.object({
  /** The normalized DOI, or the text that stands in its place. */
  doi: z.string(),
  records: z.number(),
  polymers: z.array(z.string()),
  unstable: z.number(),
  /** In nm. */
  fiberDiameter: z.nullable(z.object({ min: z.number(), max: z.number() })),
});
export type PaperEntry = z.infer<typeof entry>;

/** The papers of some records, by records descending; only the largest where there are more than requested. */
export const papersSchema = z.object({
  distinct: z.number(),
  /** Records that name no paper. */
  withoutPaper: z.number(),
  papers: z.array(entry),
});
export type Papers = z.infer<typeof papersSchema>;
