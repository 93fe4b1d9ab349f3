import { ServiceError } from '@esd/service/errors';

/** The maximum size of a submission. */
const MAX_BYTES = 10 * 1024 * 1024;

/**
 * JSON that is built of small parts outside the heap, because a thread must not make a large allocation at its heap limit
 * (see decision 16).
 */
export class JsonParts {
  readonly #parts: Buffer[] = [];
  #bytes = 0;

  /**
   * Adds a part. Throws PAYLOAD_TOO_LARGE beyond the maximum size of a submission.
   * @param what the beginning of the message, such as "The rows up to row 5 exceed"
   */
  add(text: string, what: string): void {
    const part = Buffer.from(text);
    this.#bytes += part.length;
    if (this.#bytes > MAX_BYTES) {
      const message = `${what} ${MAX_BYTES} bytes, the maximum of a submission; split the file.`;
      throw new ServiceError('PAYLOAD_TOO_LARGE', message);
    }
    this.#parts.push(part);
  }

  /** Returns all parts, with `end` after them. */
  whole(end: string): Buffer {
    return Buffer.concat([...this.#parts, Buffer.from(end)]);
  }
}
