import type { Feature } from '@esd/record/filter/filter-keys';
import type { References } from '@esd/record/reference/reference';

/** Where the dataset's values of a feature lie, in the unit of its filter. */
export interface ValueRange {
  readonly count: number;
  readonly min: number;
  readonly max: number;
}

/** What is compared with what is entered. */
export interface ReferenceData {
  readonly references: References;
  /** Empty until it is known. */
  readonly ranges: Readonly<Partial<Record<Feature, ValueRange>>>;
  /** How many public records have a value, by category and value; empty until it is known. */
  readonly counts: Readonly<Record<string, ReadonlyMap<string, number>>>;
}
