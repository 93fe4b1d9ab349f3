import type { Feature } from '@esd/record/filter/filter-keys';
import type { Nearest } from './explore-data.ts';

/** The position of a value among all public values of its feature, in the unit of its filter. */
export interface ValuePosition {
  feature: Feature;
  unit: string;
  value: number;
  /** Number of records with a value, including this record. */
  count: number;
  lower: number;
  /** Bin edges, one more than counts. */
  edges: readonly number[];
  counts: readonly number[];
}

/** A record of the same paper with the same solution; numbers in the units of the filters. */
export interface Sibling {
  recordId: number;
  voltage: number | null;
  tipDist: number | null;
  fiberDiameter: number | null;
  isFormationStable: boolean | null;
}

/** The position of a record among the other records. */
export interface RecordContext {
  positions: readonly ValuePosition[];
  /** Numbers of distinct experiments and of all records of the same paper, including this record; 0 without a paper. */
  ofPaper: { total: number; records: number };
  /** Records of the same paper with the same polymers, solvents, and concentration, including this record. */
  sameSolution: { total: number; records: readonly Sibling[] };
  unexplained: Nearest['neighbors'][number]['unexplained'];
  /** Numbers of the records that are identical in every field. */
  repeats: readonly number[];
  warnings: readonly string[];
  /** Null if the record reports no settings to compare. */
  nearest: Nearest | null;
}
