import { features } from '@esd/record/filter/filter-keys';
import * as z from 'zod/mini';
import { nearestSchema } from './explore-data.ts';

const counted = z.number();
const figure = z.nullable(z.number());

/** The position of a value among all public values of its feature, in the unit of its filter. */
const valuePosition = z.object({
  feature: z.enum(features.map(({ feature }) => feature)),
  unit: z.string(),
  value: z.number(),
  /** Number of records with a value, including this record. */
  count: counted,
  lower: counted,
  /** Bin edges, one more than counts. */
  edges: z.readonly(z.array(z.number())),
  counts: z.readonly(z.array(counted)),
});
export type ValuePosition = z.infer<typeof valuePosition>;

/** A record of the same paper with the same solution; numbers in the units of the filters. */
const sibling = z.object({
  recordId: counted,
  voltage: figure,
  tipDist: figure,
  fiberDiameter: figure,
  isFormationStable: z.nullable(z.boolean()),
});
export type Sibling = z.infer<typeof sibling>;

export const recordContextSchema = z.object({
  positions: z.array(valuePosition),
  /** Number of records of the same paper, including this record; 0 without a paper. */
  ofPaper: counted,
  /** Records of the same paper with the same polymers, solvents, and concentration, including this record. */
  sameSolution: z.object({ total: counted, records: z.array(sibling) }),
  /** Numbers of the records that are identical in every field. */
  repeats: z.array(counted),
  warnings: z.array(z.string()),
  /** Null if the record reports no settings to compare. */
  nearest: z.nullable(nearestSchema),
});
export type RecordContext = z.infer<typeof recordContextSchema>;
