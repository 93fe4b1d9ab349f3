import * as z from 'zod/mini';

const counted = z.number();
const figure = z.nullable(z.number());

/** The fibers of a polymer; diameters in nm, null without any. */
const polymerFigures = z.object({
  polymer: z.string(),
  records: counted,
  withDiameter: counted,
  min: figure,
  median: figure,
  max: figure,
  /** Diameters of a sample of the records where there are too many to draw. */
  diameters: z.array(z.number()),
});
export type PolymerFigures = z.infer<typeof polymerFigures>;

/** The size of the dataset, the fibers of each polymer, and the newest records. */
export const overviewSchema = z.object({
  total: counted,
  papers: counted,
  polymers: counted,
  /** Sets of solvents. */
  solventSystems: counted,
  /** Records whose fiber formation was not stable. */
  unstable: counted,
  /** Whether the diameters are a sample. */
  sampled: z.boolean(),
  /** The most frequent polymers, by records descending. */
  byPolymer: z.array(polymerFigures),
  /** Records of a paper that were published on a day (2026-11-03), the newest first. */
  additions: z.array(
    z.object({
      day: z.string(),
      /** The normalized DOI, or the text in its place. */
      doi: z.nullable(z.string()),
      records: counted,
      polymers: z.array(z.string()),
    }),
  ),
});
export type Overview = z.infer<typeof overviewSchema>;
