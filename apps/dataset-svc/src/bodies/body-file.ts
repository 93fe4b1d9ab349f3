import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { BodyPlace } from './body-offsets.ts';
import { COMMA } from './comma-separated.ts';

/** A file of bodies, one after the other. Bytes that were once written never change. */
export interface BodyFile {
  /**
   * The bodies at some places, in their order; undefined for one that cannot be read or is not what was written, of which
   * `onDamage` hears.
   */
  read(places: readonly (BodyPlace | undefined)[]): Promise<(Buffer | undefined)[]>;
  /** Writes at the end of what was written. Throws what the file system throws. */
  write(bytes: Buffer, at: number): Promise<void>;
  /** Waits for the reads that run. */
  close(): Promise<void>;
}

/** Neighbors that are read at once: reading what lies between costs less than another call of the system. */
const GAP_BYTES = 4 * 1024;
const MAX_RUN_BYTES = 1024 * 1024;
/**
 * A read of what the system has in its cache takes a few microseconds, a tenth of what a thread for it costs. A page whose reads
 * have taken this long comes from the disk: its other reads let the process do something else meanwhile.
 */
const SYNC_MS = 1;

/** Places that lie near each other in the file. */
interface Run {
  start: number;
  end: number;
  places: { place: BodyPlace; index: number }[];
}

export function bodyFile(handle: FileHandle, onDamage: (error: unknown, bodies: number) => void): BodyFile {
  /** What each run read at once comes into; its bodies are copied out of it before the next one. */
  const scratch = Buffer.allocUnsafeSlow(MAX_RUN_BYTES);
  const read = async (places: readonly (BodyPlace | undefined)[]): Promise<(Buffer | undefined)[]> => {
    const bodies = new Array<Buffer | undefined>(places.length).fill(undefined);
    const take = (run: Run, bytes: Buffer, bytesRead: number, keep: (body: Buffer) => Buffer): void => {
      for (const { place, index } of run.places) {
        const body = bytes.subarray(place.start - run.start, place.end - run.start);
        if (place.end - run.start > bytesRead || crc32(body) !== place.checksum) {
          onDamage(new Error(`the bytes from ${place.start} to ${place.end} are not those that were written`), 1);
        } else {
          bodies[index] = keep(body);
        }
      }
    };
    const all = Buffer.allocUnsafeSlow(
      places.reduce((sum, place) => sum + (place ? place.end - place.start + 1 : 0), 0),
    );
    let used = 0;
    const copy = (body: Buffer): Buffer => {
      const kept = all.subarray(used, used + body.length);
      body.copy(kept);
      used += body.length;
      all[used++] = COMMA;
      return kept;
    };
    const until = performance.now() + SYNC_MS;
    const waiting: Promise<void>[] = [];
    for (const run of runsOf(places)) {
      const length = run.end - run.start;
      const onError = (error: unknown): void => {
        onDamage(error, run.places.length);
      };
      if (performance.now() < until && length <= scratch.length) {
        try {
          take(run, scratch, readSync(handle.fd, scratch, 0, length, run.start), copy);
        } catch (error) {
          onError(error);
        }
      } else {
        const bytes = Buffer.allocUnsafeSlow(length);
        const reading = handle.read(bytes, 0, length, run.start);
        waiting.push(
          reading.then(({ bytesRead }) => {
            take(run, bytes, bytesRead, (body) => body);
          }, onError),
        );
      }
    }
    await Promise.all(waiting);
    return bodies;
  };
  return {
    read,
    write: async (bytes, at) => {
      for (let written = 0; written < bytes.length;) {
        const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, at + written);
        written += bytesWritten;
      }
    },
    close: () => handle.close(),
  };
}

function runsOf(places: readonly (BodyPlace | undefined)[]): Run[] {
  const known = places.flatMap((place, index) => (place ? [{ place, index }] : []));
  known.sort((a, b) => a.place.start - b.place.start);
  const runs: Run[] = [];
  for (const one of known) {
    const { start, end } = one.place;
    const last = runs.at(-1);
    if (last && start - last.end <= GAP_BYTES && end - last.start <= MAX_RUN_BYTES) {
      last.end = Math.max(last.end, end);
      last.places.push(one);
    } else {
      runs.push({ start, end, places: [one] });
    }
  }
  return runs;
}
