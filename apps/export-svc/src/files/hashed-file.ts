import { createWriteStream } from 'node:fs';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type FileHash, HashingPass } from '@esd/object-store/file-hash';

/** A local file that is hashed while it is written. */
export interface HashedFile {
  /** Takes the bytes; destroyed with the error of the disk. */
  stream: Writable;
  /** Size and hashes once the stream has ended and all is written. Throws the error of the disk. */
  written(): Promise<FileHash>;
}

/** Begins a new file at `path`. */
export function createHashedFile(path: string): HashedFile {
  const hashing = new HashingPass();
  const stream = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hashing.add(chunk);
      done(null, chunk);
    },
  });
  const whole = pipeline(stream, createWriteStream(path));
  // It may fail before anything waits for it.
  whole.catch(() => undefined);
  return {
    stream,
    written: async () => {
      await whole;
      return hashing.result();
    },
  };
}
