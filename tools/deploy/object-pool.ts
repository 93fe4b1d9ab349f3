import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileHash, hashFile } from '@esd/object-store/file-hash';

/*
 * The pool of objects that all backups in a folder share. Each file is named after its SHA-256, so no backup can replace the content of an
 * earlier one.
 */

export interface ListedHash {
  sha256: string;
  /** Empty in the list of a backup. */
  entityTag: string;
}

const LINE = /^([0-9a-f]{64}) (\S*) (.+)$/;

export function poolFile(pool: string, sha256: string): string {
  return join(pool, sha256.slice(0, 2), sha256);
}

/** Reads the hashes of a list by key or file name. The format is that of sha256sum; an entity tag may follow the hash. */
export async function readList(file: string): Promise<Map<string, ListedHash>> {
  const hashes = new Map<string, ListedHash>();
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    if (line === '') continue;
    const [, sha256, entityTag, name] = LINE.exec(line) ?? [];
    if (sha256 === undefined || entityTag === undefined || name === undefined)
      throw new Error(`${file}: "${line}" is not in the format of sha256sum`);
    hashes.set(name, { sha256, entityTag });
  }
  return hashes;
}

/** Returns the hash of a file with this SHA-256, or else its fault. */
export async function checkFile(file: string, sha256: string): Promise<FileHash | 'missing' | 'damaged'> {
  if (!existsSync(file)) return 'missing';
  const hash = await hashFile(file).catch(() => undefined);
  return hash?.sha256 === sha256 ? hash : 'damaged';
}
