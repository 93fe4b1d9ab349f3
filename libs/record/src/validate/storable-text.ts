import { shorten } from './problems.ts';

export const UNSTORABLE = 'must not contain NUL or a lone surrogate';

/** Returns whether a database can store a text: PostgreSQL refuses NUL, and UTF-8 cannot encode a lone surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Returns the paths of the texts and member names of a JSON value that a database cannot store. */
export function unstorablePaths(value: unknown, path: readonly PropertyKey[] = []): PropertyKey[][] {
  if (typeof value === 'string') return isStorable(value) ? [] : [[...path]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inside = [...path, Array.isArray(value) ? Number(name) : shorten(name)];
    return [...(isStorable(name) ? [] : [inside]), ...unstorablePaths(member, inside)];
  });
}
