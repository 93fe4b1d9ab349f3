import { BinaryWriter } from '@bufbuild/protobuf/wire';

export { BinaryReader } from '@bufbuild/protobuf/wire';

// Below it a copy is cheaper than a part of its own.
const LEAST_APART = 4_096;

/**
 * Writes messages as the library does, but large bytes of the outermost message are copied once, when it is finished, instead of
 * into a buffer that doubles and out of it again.
 */
class MessageWriter extends BinaryWriter {
  #parts: Uint8Array[] = [];
  #open = 0;

  override fork(): this {
    this.#open += 1;
    return super.fork();
  }

  override join(): this {
    this.#open -= 1;
    return super.join();
  }

  override bytes(value: Uint8Array): this {
    // Within another message, where the length of all of it comes first.
    if (this.#open > 0 || value.length < LEAST_APART) return super.bytes(value);
    this.uint32(value.length);
    this.#parts.push(super.finish(), value);
    return this;
  }

  override finish(): Uint8Array<ArrayBuffer> {
    const last = super.finish();
    if (this.#parts.length === 0) return last;
    const parts = [...this.#parts, last];
    this.#parts = [];
    return Buffer.concat(parts);
  }
}

export { MessageWriter as BinaryWriter };

/** The same bytes as a Buffer, not copied: it holds all of what they lie in. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
