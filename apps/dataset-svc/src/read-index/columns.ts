import type { Feature, TextKey } from '@esd/record/filter/filter-keys';
import { appended, CodedColumn, NumberColumn } from './coded-column.ts';
import { byKey, featureKeys, termKeys } from './index-row.table.ts';
import { yieldAfterSlice } from './slices.ts';

/** `validTo` of a row that is still valid: later than every dataset revision. */
export const FOREVER = 2_147_483_647;

export const STABILITY = { unknown: 0, no: 1, yes: 2 } as const;

/** Rows by column, ordered by record id, then row id. */
export interface NewRows {
  readonly rowId: Int32Array;
  readonly recordId: Int32Array;
  /** The dataset revision from which the row is valid. */
  readonly validFrom: Int32Array;
  /** The dataset revision that ended the row, or FOREVER. */
  readonly validTo: Int32Array;
  readonly stability: Int32Array;
  /** A bit for each feature, in the order of `featureKeys`, whose value cannot be converted. */
  readonly notConvertible: Int32Array;
  /** Milliseconds since 1970. */
  readonly publishedAt: Float64Array;
  /** Equal for records that repeat each other; NaN for a record without a paper. */
  readonly repeatKey: Float64Array;
  /** Equal for records of a paper with the same settings; NaN for a record without a paper. */
  readonly settingsKey: Float64Array;
  /** In the units of the filters; NaN without a value. */
  readonly features: Readonly<Record<Feature, Float64Array>>;
  /** Ids of index_term; 0 without a text. */
  readonly terms: Readonly<Record<TextKey, Int32Array>>;
}

export interface RowOfRecord {
  rowId: number;
  recordId: number;
}

/**
 * The rows of the log in memory, by column. Rows are appended, and a row never changes its slot. Its `validTo` changes
 * once, to a dataset revision that no reader has yet. A reader of a dataset revision therefore always sees the same rows, even while
 * rows are appended.
 */
export class Columns {
  readonly features: Readonly<Record<Feature, NumberColumn>>;
  readonly publishedAt: NumberColumn;
  readonly repeatKeys: NumberColumn;
  readonly settingsKeys: NumberColumn;
  readonly stability: CodedColumn;
  readonly terms: Readonly<Record<TextKey, CodedColumn>>;
  #rowId: Int32Array;
  #recordId: Int32Array;
  #validFrom: Int32Array;
  #validTo: Int32Array;
  #order: Int32Array = new Int32Array();
  #valid = 0;

  constructor(capacity = 0) {
    this.features = byKey(featureKeys, () => new NumberColumn(capacity));
    this.publishedAt = new NumberColumn(capacity);
    this.repeatKeys = new NumberColumn(capacity);
    this.settingsKeys = new NumberColumn(capacity);
    this.stability = new CodedColumn(capacity, Object.keys(STABILITY).length);
    this.terms = byKey(termKeys, () => new CodedColumn(capacity));
    this.#rowId = new Int32Array(capacity);
    this.#recordId = new Int32Array(capacity);
    this.#validFrom = new Int32Array(capacity);
    this.#validTo = new Int32Array(capacity);
  }

  get rowId(): Int32Array {
    return this.#rowId;
  }

  get recordId(): Int32Array {
    return this.#recordId;
  }

  get validFrom(): Int32Array {
    return this.#validFrom;
  }

  get validTo(): Int32Array {
    return this.#validTo;
  }

  /** The slots of all rows, ordered by record id, then row id. */
  get order(): Int32Array {
    return this.#order;
  }

  /** The number of rows that have not ended. */
  get valid(): number {
    return this.#valid;
  }

  /** Appends rows, in slices. Readers of earlier revisions do not see them. Calls must not overlap. */
  async append(rows: NewRows): Promise<void> {
    const { length } = this.#order;
    for (const [bit, key] of featureKeys.entries()) {
      const isInconvertible = (row: number): boolean => (((rows.notConvertible[row] ?? 0) >>> bit) & 1) === 1;
      this.features[key].appendNumbers(length, rows.features[key], isInconvertible);
      await yieldAfterSlice();
    }
    this.publishedAt.appendNumbers(length, rows.publishedAt, () => false);
    this.repeatKeys.appendNumbers(length, rows.repeatKey, () => false);
    this.settingsKeys.appendNumbers(length, rows.settingsKey, () => false);
    await yieldAfterSlice();
    this.stability.append(length, rows.stability);
    for (const key of termKeys) this.terms[key].append(length, rows.terms[key]);
    this.#rowId = appended(this.#rowId, length, rows.rowId);
    this.#recordId = appended(this.#recordId, length, rows.recordId);
    this.#validFrom = appended(this.#validFrom, length, rows.validFrom);
    this.#validTo = appended(this.#validTo, length, rows.validTo);
    for (const validTo of rows.validTo) if (validTo === FOREVER) this.#valid += 1;
    this.#order = this.#orderWith(rows.rowId.length);
  }

  /** Ends the validity of a row at a dataset revision that no reader has yet. Throws for an unknown row. */
  end(row: RowOfRecord, validTo: number): void {
    const slot = this.slotOf(row);
    if (slot === undefined) throw new Error(`the index has no row ${row.rowId} of record ${row.recordId}`);
    if (this.#validTo[slot] === FOREVER) this.#valid -= 1;
    this.#validTo[slot] = validTo;
  }

  slotOf({ rowId, recordId }: RowOfRecord): number | undefined {
    const slot = this.#order[this.#positionOf(recordId, rowId)];
    return slot !== undefined && this.#rowId[slot] === rowId ? slot : undefined;
  }

  /** Merges the rows in the last `added` slots into the order. */
  #orderWith(added: number): Int32Array {
    const before = this.#order;
    const order = new Int32Array(before.length + added);
    let [copied, at] = [0, 0];
    const copyUpTo = (position: number): void => {
      order.set(before.subarray(copied, position), at);
      at += position - copied;
      copied = position;
    };
    for (let slot = before.length; slot < order.length; slot += 1) {
      copyUpTo(this.#positionOf(this.#recordId[slot] ?? 0, this.#rowId[slot] ?? 0, copied));
      order[at++] = slot;
    }
    copyUpTo(before.length);
    return order;
  }

  /** Returns the position in the order of the first row, from a position on, that does not precede the given one. */
  #positionOf(recordId: number, rowId: number, from = 0): number {
    let [low, high] = [from, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const slot = this.#order[middle] ?? 0;
      const other = this.#recordId[slot] ?? 0;
      if (other < recordId || (other === recordId && (this.#rowId[slot] ?? 0) < rowId)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
