import * as z from 'zod/mini';

const counted = z.number();
const figure = z.nullable(z.number());

/** The fiber diameters of a polymer in nm; null if no diameter is reported. */
const polymerFigures = z.object({
  polymer: z.string(),
  records: counted,
  withDiameter: counted,
  /** Runs that were not stable, with or without a diameter. */
  unstable: counted,
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
  /** The papers and the polymers of the runs that were not stable; the polymer with most of them first. */
  failures: z.object({ papers: counted, polymers: z.array(z.string()) }),
  /** The number of records that repeat one with a lower id. */
  repeats: z.object({ records: counted }),
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
