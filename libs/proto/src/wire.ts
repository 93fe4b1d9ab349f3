import { BinaryWriter } from '@bufbuild/protobuf/wire';

export { BinaryReader } from '@bufbuild/protobuf/wire';

// Copying fewer bytes is cheaper than a separate part.
const MIN_PART_BYTES = 4_096;

/**
 * Writes messages as the library does, but copies large bytes of the outermost message only once, in `finish`. The library
 * copies them into a growing buffer and out of it again.
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
    // The length of a nested message includes these bytes, so they remain in its buffer.
    if (this.#open > 0 || value.length < MIN_PART_BYTES) return super.bytes(value);
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

/** Returns the same bytes as a Buffer without copying; it keeps their whole ArrayBuffer alive. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
