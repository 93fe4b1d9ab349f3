import type { Feature } from '@esd/record/filter/filter-keys';

const REASONS = ['missing', 'notConvertible', 'nonPositive', 'outside'] as const;

/** Why a record that matches is not placed. `outside`: beyond the bounds that were given. */
export type Reason = (typeof REASONS)[number];

export interface Excluded {
  reason: string;
  feature?: Feature;
  count: number;
}

/** Counts what is left out, each record once. */
export class ExcludedCounts {
  readonly #counts = new Map<Feature, Record<Reason, number>>();

  /** The counts of what is left out for a feature, to be raised. */
  of(feature: Feature): Record<Reason, number> {
    const known = this.#counts.get(feature) ?? { missing: 0, notConvertible: 0, nonPositive: 0, outside: 0 };
    this.#counts.set(feature, known);
    return known;
  }

  /** What was left out, by feature and reason. */
  list(): Excluded[] {
    return [...this.#counts].flatMap(([feature, counts]) =>
      REASONS.flatMap((reason) => (counts[reason] > 0 ? [{ reason, feature, count: counts[reason] }] : [])),
    );
  }
}
