import * as z from 'zod/mini';

const entry = z.object({
  /** The normalized DOI, or the text that the record has instead. */
  doi: z.string(),
  records: z.number(),
  polymers: z.array(z.string()),
  unstable: z.number(),
  /** The range in nm. */
  fiberDiameter: z.nullable(z.object({ min: z.number(), max: z.number() })),
});
export type PaperEntry = z.infer<typeof entry>;

/** The papers of some records, ordered by their number of records, most first. The list is limited to the requested length. */
export const papersSchema = z.object({
  distinct: z.number(),
  withoutPaper: z.number(),
  papers: z.array(entry),
});
export type Papers = z.infer<typeof papersSchema>;
