import type { References } from '@esd/record/reference/reference';
import type { Ranges } from '../range-warnings.ts';

export interface ReferenceData {
  readonly references: References;
  /** The ranges of the public records by polymers of the input, as a filter text; those that are loaded. */
  readonly ranges: ReadonlyMap<string, Ranges>;
  /** The number of public records by category and value; empty until loaded. */
  readonly counts: Readonly<Record<string, ReadonlyMap<string, number>>>;
}
