import { mkdir, mkdtemp, open, readFile, rename, rm, type FileHandle, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { type BodyOffsets, readOffsets } from './body-offsets.ts';

/** The state of the dataset of which all stored bodies are. */
export interface SeenState {
  datasetId: string;
  revision: number;
  /** Undefined before the first revision. */
  committedAt?: Date | undefined;
}

/** What a process left when it closed its store. */
export interface StoredBodies {
  handle: FileHandle;
  offsets: BodyOffsets;
  seen: SeenState;
}

/** A folder for bodies that this process has to itself. */
export interface BodyFolder {
  /**
   * What the last process left here, when it closed it in order and it is whole; else undefined, and nothing is left. Until it is
   * saved again the folder counts as not closed.
   */
  takeStored(): Promise<StoredBodies | undefined>;
  /** Makes the file anew. */
  create(): Promise<FileHandle>;
  /** Tells the next process what is in the file, which nobody writes any more. */
  save(offsets: BodyOffsets, seen: SeenState): Promise<void>;
  /** Removes what is stored. */
  clear(): Promise<void>;
  /** Lets another process have the folder. */
  release(): void;
}

/** Raised by whatever changes the bytes of a file. */
const FORMAT = 1;
const MAX_PROCESSES = 100;
/** SQLite's result code for "another process holds the lock". */
const SQLITE_BUSY = 5;
const BODIES = 'bodies';
const OFFSETS = 'offsets';
/** Is there only while no process has the folder open: without it, the last one did not end in order. */
const CLOSED = 'closed.json';

const closedFile = z.strictObject({
  format: z.literal(FORMAT),
  datasetId: z.string(),
  revision: z.number(),
  committedAt: z.iso.datetime().optional(),
  firstRowId: z.number(),
  bytes: z.number(),
  /** Of all other members and the offsets. */
  checksum: z.number(),
});

/** Takes the first folder `parent/1`, `parent/2`… that no other process has. Throws an Error that says why there is none. */
export async function takeBodyFolder(parent: string): Promise<BodyFolder> {
  for (let number = 1; number <= MAX_PROCESSES; number += 1) {
    const folder = join(parent, String(number));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const release = tryLock(folder);
    if (release) return folderAt(folder, release);
  }
  throw new Error(`${MAX_PROCESSES} processes have their bodies in ${parent} already`);
}

/** A file in the system's folder for temporary files that goes with the process, however that ends. */
export async function temporaryFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'esd-bodies-'));
  try {
    return await open(join(folder, BODIES), 'w+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function folderAt(folder: string, release: () => void): BodyFolder {
  const path = (name: string): string => join(folder, name);
  const clear = async (): Promise<void> => {
    for (const name of [CLOSED, OFFSETS, BODIES]) await rm(path(name), { force: true });
  };
  return {
    takeStored: async () => {
      const stored = await readStored(path);
      if (stored) await rm(path(CLOSED));
      else await clear();
      return stored;
    },
    create: async () => {
      await clear();
      return open(path(BODIES), 'w+', 0o600);
    },
    save: async (offsets, { datasetId, revision, committedAt }) => {
      const { firstRowId, bytes } = offsets;
      const what = { format: FORMAT, datasetId, revision, committedAt: committedAt?.toISOString(), firstRowId, bytes };
      const buffer = offsets.toBuffer();
      await writeFile(path(OFFSETS), buffer, { mode: 0o600 });
      const closed = { ...what, checksum: checksumOf(what, buffer) };
      await writeFile(path(`${CLOSED}.new`), JSON.stringify(closed), { mode: 0o600 });
      await rename(path(`${CLOSED}.new`), path(CLOSED));
    },
    clear,
    release,
  };
}

async function readStored(path: (name: string) => string): Promise<StoredBodies | undefined> {
  const [text, buffer] = await Promise.all([readIfThere(path(CLOSED)), readIfThere(path(OFFSETS))]);
  if (!text || !buffer) return undefined;
  const closed = closedFile.safeParse(readJson(text.toString()));
  if (!closed.success) return undefined;
  const { checksum, ...what } = closed.data;
  if (checksumOf(what, buffer) !== checksum) return undefined;
  const { firstRowId, bytes, datasetId, revision, committedAt } = what;
  const handle = await open(path(BODIES), 'r+').catch(() => undefined);
  if (!handle) return undefined;
  const { size } = await handle.stat();
  if (size < bytes) {
    await handle.close();
    return undefined;
  }
  return {
    handle,
    offsets: readOffsets(firstRowId, buffer),
    seen: { datasetId, revision, committedAt: committedAt === undefined ? undefined : new Date(committedAt) },
  };
}

function checksumOf(what: object, offsets: Buffer): number {
  return crc32(offsets, crc32(JSON.stringify(what)));
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (Error.isError(error) && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Locks a folder by an exclusive transaction on an empty SQLite file: the kernel releases it when the process ends, however it
 * ends, also in another container. Returns how to release it, undefined when another process holds it.
 */
function tryLock(folder: string): (() => void) | undefined {
  const lock = new DatabaseSync(join(folder, 'lock.db'));
  try {
    lock.exec('begin exclusive');
    return () => {
      lock.close();
    };
  } catch (error) {
    lock.close();
    if (Error.isError(error) && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}
