import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { LogBodies } from '../dataset-log/dataset-log.store.ts';
import { type BodyFile, bodyFile } from './body-file.ts';
import type { SeenState } from './body-folder.ts';
import { type BodyOffsets, noOffsets } from './body-offsets.ts';

/** The bodies of the first rows of one dataset's log. */
export interface HeldBodies {
  readonly offsets: BodyOffsets;
  readonly where: 'memory' | 'disk';
  /** False when bodies were not what was written; the store is then of no use to the next process. */
  readonly sound: boolean;
  /** All bodies are of this state. */
  seen: SeenState;
  /** Bodies of rows, in their order; undefined for what is not held. */
  read(rowIds: readonly number[]): Promise<(Buffer | undefined)[]>;
  /** Adds the rows that follow. Throws an Error beyond the limit of the disk, and what the file system throws; what is held stays. */
  add(bodies: LogBodies): Promise<void>;
  close(): Promise<void>;
}

export interface HeldOptions {
  memoryBytes: number;
  diskBytes: number;
  /** The file that takes what memory does not. */
  createFile: () => Promise<FileHandle>;
  /** Is told of bodies that cannot be read from the file, and whether they are the first. */
  onDamage: (error: unknown, bodies: number, first: boolean) => void;
}

/** Holds bodies: those that were stored, or none at first. They are in memory up to its limit, beyond it all in a file. */
export function holdBodies(
  seen: SeenState,
  options: HeldOptions,
  stored?: { offsets: BodyOffsets; handle: FileHandle },
): HeldBodies {
  let sound = true;
  const openFile = (handle: FileHandle): BodyFile =>
    bodyFile(handle, (error, bodies) => {
      options.onDamage(error, bodies, sound);
      sound = false;
    });
  const offsets = stored?.offsets ?? noOffsets();
  let file = stored && openFile(stored.handle);
  // The system gives the pages of it when they are written to first.
  let memory = stored ? undefined : Buffer.allocUnsafeSlow(options.memoryBytes);

  let scratch = Buffer.alloc(0);
  const scratchOf = (length: number): Buffer => {
    if (scratch.length < length) scratch = Buffer.allocUnsafeSlow(length);
    return scratch.subarray(0, length);
  };

  const moveToDisk = async (from: Buffer): Promise<BodyFile> => {
    const made = openFile(await options.createFile());
    try {
      await made.write(from, 0);
    } catch (error) {
      await made.close();
      throw error;
    }
    file = made;
    memory = undefined;
    return made;
  };
  return {
    seen,
    offsets,
    get where() {
      return memory ? 'memory' : 'disk';
    },
    get sound() {
      return sound;
    },
    read: async (rowIds) => {
      const places = rowIds.map((rowId) => offsets.find(rowId));
      const bytes = memory;
      if (bytes) return places.map((place) => place && bytes.subarray(place.start, place.end));
      return file ? file.read(places) : [];
    },
    add: async ({ rowIds, lengths, text }) => {
      const length = Buffer.byteLength(text);
      const counted = lengths.reduce((sum, one) => sum + one, 0);
      if (counted !== length) throw new Error(`${length} bytes came instead of ${counted}: is the database in UTF-8?`);
      const at = offsets.bytes;
      const inMemory = memory && at + length <= memory.length ? memory.subarray(at, at + length) : undefined;
      const bytes = inMemory ?? scratchOf(length);
      bytes.write(text);
      if (!inMemory) {
        if (at + length > options.diskBytes) throw new Error(`there is room for ${options.diskBytes} bytes on disk`);
        const target = memory ? await moveToDisk(memory.subarray(0, at)) : file;
        await target?.write(bytes, at);
      }
      // Nobody finds a body before all are there.
      let start = 0;
      for (const [index, rowId] of rowIds.entries()) {
        const end = start + (lengths[index] ?? 0);
        offsets.add(rowId, end - start, crc32(bytes.subarray(start, end)));
        start = end;
      }
    },
    close: async () => {
      await file?.close();
    },
  };
}
