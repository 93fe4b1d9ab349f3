const COMMA = Buffer.of(0x2c);

/** Joins bodies with commas. */
export function commaSeparated(bodies: readonly Buffer[]): Buffer {
  return Buffer.concat(bodies.flatMap((body, index) => (index === 0 ? [body] : [COMMA, body])));
}
