import * as z from 'zod/mini';

const counted = z.number();
const figure = z.nullable(z.number());
const text = z.optional(z.string());

/** A paper of `papers` with its design. */
export const paperItemSchema = z.object({
  /** The normalized DOI, or the text that records have instead. */
  doi: z.string(),
  title: text,
  authors: z.optional(
    z.array(z.union([z.object({ family: z.string(), given: text }), z.object({ name: z.string() })])),
  ),
  year: z.optional(z.number()),
  journal: text,
  publisher: text,
  url: text,
  records: counted,
  stable: counted,
  unstable: counted,
  polymers: z.array(z.string()),
  solvents: z.array(z.string()),
  /** In nm. */
  fiberDiameter: z.object({ count: counted, q25: figure, median: figure, q75: figure }),
  /** The settings that records report. Numbers are in the units of the filters. */
  design: z.array(
    z.object({
      key: z.string(),
      reported: counted,
      distinct: counted,
      /** The first values, ascending. */
      values: z.array(z.union([z.number(), z.string()])),
    }),
  ),
});
export type PaperItem = z.infer<typeof paperItemSchema>;
