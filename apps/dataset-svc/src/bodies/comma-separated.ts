const COMMA = Buffer.of(0x2c);

/** Joins bodies with a comma between two. */
export function commaSeparated(bodies: readonly Buffer[]): Buffer {
  return Buffer.concat(bodies.flatMap((body, index) => (index === 0 ? [body] : [COMMA, body])));
}
