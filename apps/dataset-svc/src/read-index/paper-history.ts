import type { PaperValues } from '@esd/record/filter/paper-values';
import type { PaperVersion } from '../reference/paper.store.ts';

/** The values of a paper from one dataset revision until before another. */
interface Version extends PaperValues {
  readonly from: number;
  to: number;
  readonly earlier: Version | undefined;
}

/**
 * The list of papers in memory, at all its states. It has only the values that filters compare, so that 10^5 papers take about 20 MB.
 * A reader of a dataset revision sees the same values while newer versions are added.
 */
export class PaperHistory {
  readonly #newest = new Map<string, Version>();
  readonly #journals = new Map<string, string>();
  /** The dataset revisions of changes, ascending. */
  #changes: readonly number[] = [];

  /** Adds versions, and ends known ones, ordered by the revision that began them. */
  add(versions: readonly PaperVersion[]): void {
    if (versions.length === 0) return;
    const changes = new Set(this.#changes);
    for (const { doi, year, journal, validFrom: from, validTo } of versions) {
      const to = validTo ?? Infinity;
      changes.add(from);
      if (validTo !== null) changes.add(validTo);
      let known = this.#newest.get(doi);
      while (known && known.from > from) known = known.earlier;
      if (known?.from === from) {
        known.to = to;
        continue;
      }
      this.#newest.set(doi, {
        ...(year === null ? {} : { year }),
        ...(journal === null ? {} : { journal: this.#shared(journal) }),
        from,
        to,
        earlier: this.#newest.get(doi),
      });
    }
    this.#changes = [...changes].sort((a, b) => a - b);
  }

  /** Returns the dataset revision of the newest change up to a dataset revision; 0 without one. */
  changedAt(revision: number): number {
    return this.#changes.findLast((change) => change <= revision) ?? 0;
  }

  /** Returns the values of a paper at a dataset revision. */
  valuesAt(doi: string, revision: number): PaperValues | undefined {
    let version = this.#newest.get(doi);
    while (version && version.from > revision) version = version.earlier;
    return version && version.to > revision ? version : undefined;
  }

  /** Returns one string for equal names, because thousands of papers share a journal. */
  #shared(journal: string): string {
    const known = this.#journals.get(journal);
    if (known === undefined) this.#journals.set(journal, journal);
    return known ?? journal;
  }
}
