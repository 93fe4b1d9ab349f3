/** Returns a member of parsed JSON, or undefined if `value` is not an object or lacks the member. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

/** Returns parsed JSON as a string. Throws a TypeError if it is not one. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`${JSON.stringify(value)} is not a string`);
}

/** Returns parsed JSON as an array. Throws a TypeError if it is not one. */
export function array(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`${JSON.stringify(value)} is not an array`);
}
