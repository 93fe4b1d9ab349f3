import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type BodyFile, bodyFile } from './body-file.ts';
import type { SeenState } from './body-folder.ts';
import { type BodyOffsets, noOffsets } from './body-offsets.ts';

/** A row of the log as it is read. */
export interface LogBody {
  row_id: number;
  body: string;
}

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
  add(rows: readonly LogBody[]): Promise<void>;
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
    add: async (rows) => {
      const bytes = Buffer.from(rows.map(({ body }) => body).join(''));
      const at = offsets.bytes;
      if (memory && at + bytes.length <= memory.length) {
        memory.set(bytes, at);
      } else {
        if (at + bytes.length > options.diskBytes)
          throw new Error(`there is room for ${options.diskBytes} bytes on disk`);
        const target = memory ? await moveToDisk(memory.subarray(0, at)) : file;
        await target?.write(bytes, at);
      }
      // Nobody finds them before they are all there.
      let start = 0;
      for (const { row_id, body } of rows) {
        const end = start + Buffer.byteLength(body);
        offsets.add(row_id, end - start, crc32(bytes.subarray(start, end)));
        start = end;
      }
    },
    close: async () => {
      await file?.close();
    },
  };
}
