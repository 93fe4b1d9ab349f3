/** The records that are valid now, by ascending record id: pages of the unfiltered dataset are slices of it. */
export interface LiveOrder {
  readonly size: number;
  /** Makes `rowId` the row of a record, in the place of the one it had. */
  set(recordId: number, rowId: number): void;
  /** Row ids from `skip` on. */
  slice(skip: number, limit: number): number[];
  /** All row ids. */
  all(): Int32Array;
}

const FIRST_CAPACITY = 1_024;

export function openLiveOrder(): LiveOrder {
  let recordIds = new Int32Array(FIRST_CAPACITY);
  let rowIds = new Int32Array(FIRST_CAPACITY);
  let size = 0;
  /** Where a record is, or would be. */
  const place = (recordId: number): number => {
    let low = 0;
    let high = size;
    // Most records are newer than all others.
    if (size > 0 && (recordIds[size - 1] ?? 0) < recordId) return size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((recordIds[middle] ?? 0) < recordId) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const grow = (held: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> => {
    const larger = new Int32Array(held.length * 2);
    larger.set(held);
    return larger;
  };
  return {
    get size() {
      return size;
    },
    set: (recordId, rowId) => {
      const at = place(recordId);
      if (at === size || recordIds[at] !== recordId) {
        if (size === recordIds.length) {
          recordIds = grow(recordIds);
          rowIds = grow(rowIds);
        }
        recordIds.copyWithin(at + 1, at, size);
        rowIds.copyWithin(at + 1, at, size);
        size += 1;
      }
      recordIds[at] = recordId;
      rowIds[at] = rowId;
    },
    slice: (skip, limit) => [...rowIds.subarray(Math.min(skip, size), Math.min(skip + limit, size))],
    all: () => rowIds.slice(0, size),
  };
}
