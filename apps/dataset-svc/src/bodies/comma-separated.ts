/** Separates the bodies of a page. */
export const COMMA = 0x2c;

/**
 * Bodies with a comma between two. Where each is followed in memory by a comma and the next one, as `BodyFile` reads them, they are
 * not copied.
 */
export function commaSeparated(bodies: readonly Buffer[]): Buffer {
  const [first] = bodies;
  if (!first) return Buffer.alloc(0);
  const start = first.byteOffset;
  const memory = new Uint8Array(first.buffer);
  let end = start + first.length;
  for (const { buffer, byteOffset, length } of bodies.slice(1)) {
    if (buffer !== first.buffer || byteOffset !== end + 1 || memory[end] !== COMMA) {
      const comma = Buffer.of(COMMA);
      return Buffer.concat(bodies.flatMap((body, index) => (index === 0 ? [body] : [comma, body])));
    }
    end = byteOffset + length;
  }
  return Buffer.from(first.buffer, start, end - start);
}
