/** A member of parsed JSON, or undefined when it is no object or has none of that name. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

/** Parsed JSON as a text; throws when it is none. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`${JSON.stringify(value)} is not a text`);
}

/** Parsed JSON as an array; throws when it is none. */
export function array(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`${JSON.stringify(value)} is not an array`);
}
