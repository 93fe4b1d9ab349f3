const PART_BYTES = 256 * 1024;

/** A JSON text in parts of some hundred kilobytes: `head`, the items with commas between them, `tail`. */
export async function* jsonParts(head: string, items: AsyncIterable<string>, tail: string): AsyncGenerator<Buffer> {
  let part = [head];
  let length = head.length;
  let separator = '';
  for await (const item of items) {
    part.push(separator, item);
    length += item.length + 1;
    separator = ',';
    if (length < PART_BYTES) continue;
    yield Buffer.from(part.join(''));
    part = [];
    length = 0;
  }
  part.push(tail);
  yield Buffer.from(part.join(''));
}
