import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { crc32 } from 'node:zlib';

export interface FileHash {
  bytes: number;
  /** Hex. */
  sha256: string;
  /** Hex; S3 uses it as the entity tag of an object sent in one request. */
  md5: string;
  crc32: number;
}

export class HashingPass {
  readonly #sha256: Hash = createHash('sha256');
  readonly #md5: Hash = createHash('md5');
  #bytes = 0;
  #crc32 = 0;

  async *through(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.add(chunk);
      yield chunk;
    }
  }

  add(chunk: Buffer): void {
    this.#sha256.update(chunk);
    this.#md5.update(chunk);
    this.#crc32 = crc32(chunk, this.#crc32);
    this.#bytes += chunk.length;
  }

  /** Returns the hash of all bytes so far. Call it only once. */
  result(): FileHash {
    const [sha256, md5] = [this.#sha256.digest('hex'), this.#md5.digest('hex')];
    return { bytes: this.#bytes, sha256, md5, crc32: this.#crc32 };
  }
}

export async function hashFile(path: string): Promise<FileHash> {
  const pass = new HashingPass();
  const chunks: AsyncIterable<Buffer> = createReadStream(path);
  for await (const chunk of chunks) pass.add(chunk);
  return pass.result();
}
