import * as z from 'zod/mini';

const counted = z.number();
const figure = z.nullable(z.number());

/** The fiber diameters of a polymer in nm; null if no diameter is reported. */
const polymerFigures = z.object({
  polymer: z.string(),
  records: counted,
  withDiameter: counted,
  min: figure,
  median: figure,
  max: figure,
  /** All diameters, or a sample if there are too many to draw. */
  diameters: z.array(z.number()),
});
export type PolymerFigures = z.infer<typeof polymerFigures>;

export const overviewSchema = z.object({
  total: counted,
  papers: counted,
  polymers: counted,
  /** Number of distinct sets of solvents. */
  solventSystems: counted,
  unstable: counted,
  sampled: z.boolean(),
  byPolymer: z.array(polymerFigures),
  /** The records of each paper by day of publication (2026-11-03), newest first. */
  additions: z.array(
    z.object({
      day: z.string(),
      /** The normalized DOI, or the text that the record has instead. */
      doi: z.nullable(z.string()),
      records: counted,
      polymers: z.array(z.string()),
    }),
  ),
});
export type Overview = z.infer<typeof overviewSchema>;
