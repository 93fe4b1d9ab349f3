import type { References } from '@esd/record/reference/reference';
import type { Percentiles } from '@esd/record/sheet/assume-units';
import type { Ranges } from '../range-warnings.ts';

export interface ReferenceData {
  readonly references: References;
  /** The percentiles of the published values; absent if the service has too few. */
  readonly percentiles?: Percentiles | undefined;
  /** The ranges of the public records by polymers of the input, as a filter text; those that are loaded. */
  readonly ranges: ReadonlyMap<string, Ranges>;
  /** The number of public records by category and value; empty until loaded. */
  readonly counts: Readonly<Record<string, ReadonlyMap<string, number>>>;
}
