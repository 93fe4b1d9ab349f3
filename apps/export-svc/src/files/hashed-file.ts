import { createWriteStream } from 'node:fs';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type FileHash, HashingPass } from '@esd/object-store/file-hash';

export interface HashedFile {
  /** Destroyed with the error of a failed disk write. */
  stream: Writable;
  /** Resolves when all bytes are written. Throws the error of a failed disk write. */
  written(): Promise<FileHash>;
}

export function createHashedFile(path: string): HashedFile {
  const hashing = new HashingPass();
  const stream = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hashing.add(chunk);
      done(null, chunk);
    },
  });
  const whole = pipeline(stream, createWriteStream(path));
  // The pipeline may fail before `written` is called.
  whole.catch(() => undefined);
  return {
    stream,
    written: async () => {
      await whole;
      return hashing.result();
    },
  };
}
