import {
  concatRows,
  mergeRows,
  noRows,
  pickRows,
  placeOfRecord,
  type RowColumns,
  sliceRows,
  slotOfRow,
} from './row-columns.ts';
import { Segment, segmentPlaceOf } from './segment.ts';
import { inSlices } from './take-turns.ts';

/** The end of a row's validity. */
export interface EndedRow {
  rowId: number;
  recordId: number;
  /** The dataset revision at which it is no longer valid. */
  validTo: number;
}

/**
 * The index as a reader holds it for a whole answer, at one dataset revision. The segments follow each other by record id, each
 * has all rows of its records but for the newest ones of any record, which are in the tail.
 */
export interface ColumnView {
  readonly revision: number;
  readonly segments: readonly Segment[];
  readonly tail: Segment;
}

export interface ColumnLimits {
  /** Rows of a segment, at most; one record's rows are never apart. */
  segmentRows: number;
  /** Rows of the tail that are not worth a merge. */
  tailRows: number;
}

/** Slots of a segment fit 16 bits; a merge takes some 100 ms of processor time, in slices. */
const LIMITS: ColumnLimits = { segmentRows: 65_536, tailRows: 2_048 };

/** The rows of the log in memory, by column: a list of immutable segments, and a small tail of new rows that is merged into them. */
export class ColumnIndex {
  readonly #limits: ColumnLimits;
  #segments: readonly Segment[];
  #tail = Segment.of(noRows);
  /** While a merge is under way: what ended meanwhile, which the merged segments may not know yet. */
  #endedInMerge: EndedRow[] | undefined;

  private constructor(segments: readonly Segment[], limits: ColumnLimits) {
    this.#segments = segments;
    this.#limits = limits;
  }

  /** Builds the index of rows that come in their order (by record id, then row id), in slices. */
  static async build(parts: AsyncIterable<RowColumns>, limits = LIMITS): Promise<ColumnIndex> {
    const takeTurns = inSlices();
    const segments: Segment[] = [];
    let waiting: RowColumns[] = [];
    let rows = 0;
    const buildWhole = async (isLast: boolean): Promise<void> => {
      const pieces = cut(concatRows(waiting), limits.segmentRows);
      // The last piece may get more rows of its last record, and be filled up.
      const rest = isLast ? undefined : pieces.pop();
      for (const piece of pieces) segments.push(await Segment.build(piece, takeTurns));
      waiting = rest ? [rest] : [];
      rows = rest?.length ?? 0;
    };
    for await (const part of parts) {
      waiting.push(part);
      rows += part.length;
      if (rows > limits.segmentRows) await buildWhole(false);
    }
    await buildWhole(true);
    return new ColumnIndex(segments.length > 0 ? segments : [Segment.of(noRows)], limits);
  }

  /** How many rows there are, and how many of them are not merged yet. */
  get size(): { rows: number; tail: number } {
    const tail = this.#tail.rows.length;
    return { rows: this.#segments.reduce((sum, { rows }) => sum + rows.length, tail), tail };
  }

  /** The index at a dataset revision that was appended. */
  view(revision: number): ColumnView {
    return { revision, segments: this.#segments, tail: this.#tail };
  }

  /** Adds rows, which have an order; readers of earlier revisions do not see them. */
  append(rows: RowColumns): void {
    if (rows.length > 0) this.#tail = Segment.of(mergeRows(this.#tail.rows, rows));
  }

  /** Ends rows at a revision that no reader has yet. */
  end(ended: readonly EndedRow[]): void {
    this.#endedInMerge?.push(...ended);
    this.#applyEnds(ended);
  }

  #applyEnds(ended: readonly EndedRow[]): void {
    for (const { rowId, recordId, validTo } of ended) {
      const place = this.#segments[segmentPlaceOf(this.#segments, recordId)];
      const found = [place, this.#tail].some(
        (segment) => segment !== undefined && endIn(segment, rowId, recordId, validTo),
      );
      if (!found) throw new Error(`the index has no row ${rowId} of record ${recordId}`);
    }
  }

  /** Merges the tail into the segments when it has grown, one segment after the other; readers go on meanwhile. */
  async mergeTail(): Promise<void> {
    if (this.#tail.rows.length <= this.#limits.tailRows || this.#endedInMerge) return;
    const takeTurns = inSlices();
    this.#endedInMerge = [];
    try {
      for (let next = 0; next < Infinity;) {
        const { rows } = this.#tail;
        const from = placeOfRecord(rows, next);
        if (from === rows.length) break;
        const at = segmentPlaceOf(this.#segments, rows.recordId[from] ?? 0);
        next = this.#segments[at + 1]?.rows.recordId[0] ?? Infinity;
        const moved = sliceRows(rows, from, placeOfRecord(rows, next));
        const merged = mergeRows(this.#segments[at]?.rows ?? noRows, moved);
        const built: Segment[] = [];
        for (const piece of cut(merged, this.#limits.segmentRows)) built.push(await Segment.build(piece, takeTurns));
        this.#segments = this.#segments.toSpliced(at, 1, ...built);
        this.#tail = Segment.of(without(this.#tail.rows, moved));
        // Again, for rows that were copied before they ended.
        const ended = this.#endedInMerge;
        this.#endedInMerge = [];
        this.#applyEnds(ended);
        await takeTurns();
      }
    } finally {
      this.#endedInMerge = undefined;
    }
  }
}

function endIn(segment: Segment, rowId: number, recordId: number, validTo: number): boolean {
  const slot = slotOfRow(segment.rows, rowId, recordId);
  if (slot !== undefined) segment.end(slot, validTo);
  return slot !== undefined;
}

/** Rows in pieces of at most `most` rows, near to equal, all rows of a record in one. */
function cut(rows: RowColumns, most: number): RowColumns[] {
  const pieces: RowColumns[] = [];
  const size = Math.ceil(rows.length / Math.ceil(rows.length / most));
  for (let from = 0; from < rows.length;) {
    let to = Math.min(rows.length, from + size);
    while (to < rows.length && rows.recordId[to] === rows.recordId[to - 1]) to += 1;
    pieces.push(from === 0 && to === rows.length ? rows : sliceRows(rows, from, to));
    from = to;
  }
  return pieces;
}

/** Rows but for some of them. */
function without(rows: RowColumns, gone: RowColumns): RowColumns {
  const rowIds = new Set(gone.rowId);
  const places: number[] = [];
  for (const [place, rowId] of rows.rowId.entries()) if (!rowIds.has(rowId)) places.push(place);
  return pickRows(rows, places);
}
