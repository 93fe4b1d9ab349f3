import * as z from 'zod/mini';

const figure = z.nullable(z.number());
const entry = z.object({
  /** The normalized DOI, or the text that the record has instead. */
  doi: z.string(),
  /** Absent if neither the list of papers nor a record gives one. */
  title: z.optional(z.string()),
  records: z.number(),
  polymers: z.array(z.string()),
  unstable: z.number(),
  /** In nm. */
  fiberDiameter: z.object({ q25: figure, median: figure, q75: figure }),
});
export type PaperEntry = z.infer<typeof entry>;

/** The papers of some records, ordered by their number of records, most first: the first `data.length` of `total`. */
export const papersSchema = z.object({
  data: z.array(entry),
  total: z.number(),
  withoutPaper: z.number(),
});
export type Papers = z.infer<typeof papersSchema>;
