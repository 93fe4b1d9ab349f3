/** Where a body lies among all bodies, in bytes. */
export interface BodyPlace {
  start: number;
  end: number;
  /** CRC-32 of the body. */
  checksum: number;
}

/** Says where the body of each row lies when all follow each other by ascending row id: 12 bytes a row id. */
export interface BodyOffsets {
  /** The row of the first body and of the last one; 0 when there is none. */
  readonly firstRowId: number;
  readonly lastRowId: number;
  /** The end of the last body. */
  readonly bytes: number;
  /** Undefined for a row that is not among them. */
  find(rowId: number): BodyPlace | undefined;
  /** Puts a body of at least one byte behind all others. The row id is larger than all before. */
  add(rowId: number, length: number, checksum: number): void;
  /** All of it, for `readOffsets`. */
  toBuffer(): Buffer;
}

const FIRST_ROOM = 1_024;
const BYTES_A_ROW = Float64Array.BYTES_PER_ELEMENT + Uint32Array.BYTES_PER_ELEMENT;

/** Offsets of no body. */
export function noOffsets(): BodyOffsets {
  return offsetsOf(0, new Float64Array(FIRST_ROOM), new Uint32Array(FIRST_ROOM), 0);
}

/** The offsets that gave this buffer by `toBuffer`. */
export function readOffsets(firstRowId: number, buffer: Buffer): BodyOffsets {
  const rows = buffer.length / BYTES_A_ROW;
  const ends = new Float64Array(rows);
  const checksums = new Uint32Array(rows);
  const split = ends.byteLength;
  Buffer.from(ends.buffer).set(buffer.subarray(0, split));
  Buffer.from(checksums.buffer).set(buffer.subarray(split));
  return offsetsOf(firstRowId, ends, checksums, rows);
}

/** `ends` and `checksums` have an element a row id; that of a row without a body ends where the one before ends. */
function offsetsOf(firstRowId: number, ends: Float64Array, checksums: Uint32Array, rows: number): BodyOffsets {
  const endOf = (index: number): number => ends[index] ?? 0;
  const grow = (needed: number): void => {
    if (needed <= ends.length) return;
    const room = Math.max(needed, ends.length * 2);
    const wider = { ends: new Float64Array(room), checksums: new Uint32Array(room) };
    wider.ends.set(ends);
    wider.checksums.set(checksums);
    ({ ends, checksums } = wider);
  };
  return {
    get firstRowId() {
      return firstRowId;
    },
    get lastRowId() {
      return rows === 0 ? 0 : firstRowId + rows - 1;
    },
    get bytes() {
      return rows === 0 ? 0 : endOf(rows - 1);
    },
    find: (rowId) => {
      const index = rowId - firstRowId;
      if (index < 0 || index >= rows) return undefined;
      const start = index === 0 ? 0 : endOf(index - 1);
      const end = endOf(index);
      return end > start ? { start, end, checksum: checksums[index] ?? 0 } : undefined;
    },
    add: (rowId, length, checksum) => {
      if (rows === 0) firstRowId = rowId;
      const index = rowId - firstRowId;
      if (index < rows || length < 1)
        throw new RangeError(`row ${rowId} of ${length} bytes does not follow ${rows} rows`);
      grow(index + 1);
      const start = rows === 0 ? 0 : endOf(rows - 1);
      ends.fill(start, rows, index);
      ends[index] = start + length;
      checksums[index] = checksum;
      rows = index + 1;
    },
    toBuffer: () =>
      Buffer.concat([
        Buffer.from(ends.buffer, 0, rows * Float64Array.BYTES_PER_ELEMENT),
        Buffer.from(checksums.buffer, 0, rows * Uint32Array.BYTES_PER_ELEMENT),
      ]),
  };
}
