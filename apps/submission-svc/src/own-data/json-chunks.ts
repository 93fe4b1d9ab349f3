const CHUNK_BYTES = 256 * 1024;

/** Yields a JSON text in chunks: `head`, the comma-separated items, `tail`. */
export async function* jsonChunks(head: string, items: AsyncIterable<string>, tail: string): AsyncGenerator<Buffer> {
  let chunk = [head];
  let length = head.length;
  let separator = '';
  for await (const item of items) {
    chunk.push(separator, item);
    length += item.length + 1;
    separator = ',';
    if (length < CHUNK_BYTES) continue;
    yield Buffer.from(chunk.join(''));
    chunk = [];
    length = 0;
  }
  chunk.push(tail);
  yield Buffer.from(chunk.join(''));
}
