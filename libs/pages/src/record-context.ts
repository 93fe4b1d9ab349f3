import { features } from '@esd/record/filter/filter-keys';
import * as z from 'zod/mini';
import { nearestSchema } from './explore-data.ts';

const counted = z.number();
const figure = z.nullable(z.number());

/** The position of a value among all public values of its feature, in the unit of its filter. */
const place = z.object({
  feature: z.enum(features.map(({ feature }) => feature)),
  unit: z.string(),
  value: z.number(),
  /** Records with a value, this record included. */
  count: counted,
  /** Records with a lower value. */
  lower: counted,
  /** One more edge than counts. */
  edges: z.readonly(z.array(z.number())),
  counts: z.readonly(z.array(counted)),
});
export type Place = z.infer<typeof place>;

/** A record of the same paper with the same solution; numbers in the units of the filters. */
const sibling = z.object({
  recordId: counted,
  voltage: figure,
  tipDist: figure,
  fiberDiameter: figure,
  isFormationStable: z.nullable(z.boolean()),
});
export type Sibling = z.infer<typeof sibling>;

/** The surroundings of a record. */
export const recordContextSchema = z.object({
  places: z.array(place),
  /** Records of its paper, this record included; 0 without a paper. */
  ofPaper: counted,
  /** Records of its paper with the same polymers, solvents and concentration, this record included. */
  sameSolution: z.object({ total: counted, records: z.array(sibling) }),
  /** Records that are the same in every field. */
  repeats: z.array(counted),
  /** Codes of the warnings about the record. */
  doubts: z.array(z.string()),
  /** Null if the record has nothing to compare by. */
  nearest: z.nullable(nearestSchema),
});
export type RecordContext = z.infer<typeof recordContextSchema>;
