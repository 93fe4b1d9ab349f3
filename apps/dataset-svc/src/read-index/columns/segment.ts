import { LRUCache } from 'lru-cache';
import { type Bitmap, copyInto, countBits, emptyBitmap, setBit, subtract } from './bitmap.ts';
import { type FeatureColumn, featureColumn, narrowToRange } from './feature-column.ts';
import { FOREVER, type RowColumns, STABILITY } from './row-columns.ts';
import { narrowToIds, takeOutTexts, type TermColumn, termColumn } from './term-column.ts';
import type { TakeTurns } from './take-turns.ts';

/** A condition on the columns, made from one of a filter at a dataset revision. */
export type ColumnCondition =
  /** Bounds included, in the unit of the filter; `feature` as in `featureKeys`. */
  | { kind: 'range'; feature: number; min: number; max: number }
  /** One of ascending ids of index_term; `term` as in `termKeys`. */
  | { kind: 'terms'; term: number; ids: Int32Array }
  /** No text of the key. */
  | { kind: 'noTerms'; term: number }
  /** One of STABILITY. */
  | { kind: 'stability'; values: readonly number[] };

/** The slots that are valid at a revision. */
interface Valid {
  bits: Bitmap;
  count: number;
}

/** What matches in a segment. Read only: without conditions `bits` are the segment's own. */
export interface Matching {
  readonly bits: Bitmap;
  readonly count: number;
}

const NOTHING: Matching = { bits: emptyBitmap(0), count: 0 };
const MAX_REVISIONS_CACHED = 16;

/**
 * Rows in slots, ordered by record id, with what makes them quick to search. Immutable but for the ends of rows, which no reader
 * of an earlier revision sees.
 */
export class Segment {
  readonly rows: RowColumns;
  readonly features: readonly FeatureColumn[];
  readonly terms: readonly TermColumn[];
  readonly publishedAt: FeatureColumn;
  /** The bits of `rows.notConvertible` that some row has. */
  readonly notConvertible: number;
  readonly #stable: readonly Bitmap[];
  readonly #valid = new LRUCache<number, Valid>({ max: MAX_REVISIONS_CACHED });
  /** The newest revision at which a row began or ended: from it on the same rows are valid. */
  #changedAt: number;

  private constructor(
    rows: RowColumns,
    features: readonly FeatureColumn[],
    terms: readonly TermColumn[],
    publishedAt: FeatureColumn,
    stable: readonly Bitmap[],
    changedAt: number,
  ) {
    this.rows = rows;
    this.features = features;
    this.terms = terms;
    this.publishedAt = publishedAt;
    this.#stable = stable;
    this.#changedAt = changedAt;
    this.notConvertible = rows.notConvertible.reduce((all, bits) => all | bits, 0);
  }

  /** Builds a segment at once; for few rows. */
  static of(rows: RowColumns): Segment {
    const building = Segment.#build(rows);
    for (;;) {
      const step = building.next();
      if (step.done) return step.value;
    }
  }

  /** Builds a segment of any size, column by column. */
  static async build(rows: RowColumns, takeTurns: TakeTurns): Promise<Segment> {
    const building = Segment.#build(rows);
    for (;;) {
      const step = building.next();
      if (step.done) return step.value;
      await takeTurns();
    }
  }

  static *#build(rows: RowColumns): Generator<undefined, Segment> {
    const features: FeatureColumn[] = [];
    for (const values of rows.features) {
      features.push(featureColumn(values));
      yield;
    }
    const terms: TermColumn[] = [];
    for (const ids of rows.terms) {
      terms.push(termColumn(ids));
      yield;
    }
    const publishedAt = featureColumn(rows.publishedAt);
    yield;
    const stable = Object.values(STABILITY).map(() => emptyBitmap(rows.length));
    let changedAt = 0;
    for (let slot = 0; slot < rows.length; slot += 1) {
      const bits = stable[rows.stability[slot] ?? 0];
      if (bits) setBit(bits, slot);
      const end = rows.validTo[slot] ?? FOREVER;
      changedAt = Math.max(changedAt, rows.validFrom[slot] ?? 0, end === FOREVER ? 0 : end);
    }
    return new Segment(rows, features, terms, publishedAt, stable, changedAt);
  }

  /** Ends the row in a slot at a dataset revision. */
  end(slot: number, revision: number): void {
    this.rows.validTo[slot] = revision;
    this.#changedAt = Math.max(this.#changedAt, revision);
    // What was kept for it was made before this end.
    this.#valid.delete(this.#changedAt);
  }

  /** The slots that are valid at a dataset revision and satisfy all conditions; made in a scratch buffer, if one is given. */
  match(conditions: readonly ColumnCondition[], revision: number, scratch?: Bitmap): Matching {
    const valid = this.#validAt(revision);
    if (conditions.length === 0 || valid.count === 0) return valid;
    const bits = scratch ? copyInto(scratch, valid.bits) : valid.bits.slice();
    for (const condition of conditions) {
      switch (condition.kind) {
        case 'range': {
          const { min, max } = condition;
          const column = this.features[condition.feature];
          if (!column) throw new Error(`there is no feature ${condition.feature}`);
          narrowToRange(column, min, max, bits);
          break;
        }
        case 'terms':
          if (!narrowToIds(this.#termColumn(condition.term), condition.ids, bits)) return NOTHING;
          break;
        case 'noTerms':
          takeOutTexts(this.#termColumn(condition.term), bits);
          break;
        case 'stability':
          this.#narrowToStability(condition.values, bits);
          break;
      }
    }
    return { bits, count: countBits(bits) };
  }

  /** Leaves in `bits` the slots with one of STABILITY. */
  #narrowToStability(values: readonly number[], bits: Bitmap): void {
    const others = this.#stable.filter((_, value) => !values.includes(value));
    for (const other of others) subtract(bits, other);
  }

  #termColumn(term: number): TermColumn {
    const column = this.terms[term];
    if (!column) throw new Error(`there is no text key ${term}`);
    return column;
  }

  #validAt(revision: number): Valid {
    const key = Math.min(revision, this.#changedAt);
    const cached = this.#valid.get(key);
    if (cached) return cached;
    const { validFrom, validTo, length } = this.rows;
    const bits = emptyBitmap(length);
    for (let slot = 0; slot < length; slot += 1) {
      if ((validFrom[slot] ?? 0) <= revision && (validTo[slot] ?? 0) > revision) setBit(bits, slot);
    }
    const valid = { bits, count: countBits(bits) };
    this.#valid.set(key, valid);
    return valid;
  }
}

/** The place of the last segment that begins at or before a record; the first one for records before all. */
export function segmentPlaceOf(segments: readonly Segment[], recordId: number): number {
  let [low, high] = [1, segments.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((segments[middle]?.rows.recordId[0] ?? 0) <= recordId) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
