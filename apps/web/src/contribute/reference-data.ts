import type { Feature } from '@esd/record/filter/filter-keys';
import type { References } from '@esd/record/reference/reference';

/** The range of a feature in the dataset, in the unit of its filter. */
export interface ValueRange {
  readonly count: number;
  readonly min: number;
  readonly max: number;
}

export interface ReferenceData {
  readonly references: References;
  /** Empty until loaded. */
  readonly ranges: Readonly<Partial<Record<Feature, ValueRange>>>;
  /** The number of public records by category and value; empty until loaded. */
  readonly counts: Readonly<Record<string, ReadonlyMap<string, number>>>;
}
