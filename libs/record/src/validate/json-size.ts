/** Bytes of a text as a JSON string in UTF-8, quotes and escapes included. */
function textBytes(text: string): number {
  let bytes = 2;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20) bytes += unit === 8 || unit === 9 || unit === 10 || unit === 12 || unit === 13 ? 2 : 6;
    else if (unit < 0x80) bytes += unit === 0x22 || unit === 0x5c ? 2 : 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 3;
    else {
      const next = text.charCodeAt(i + 1);
      const isPair = unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff;
      // A pair takes four bytes; JSON writes a lone half as \uXXXX.
      bytes += isPair ? 4 : 6;
      if (isPair) i += 1;
    }
  }
  return bytes;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> | readonly unknown[] {
  return typeof value === 'object' && value !== null;
}

/** Bytes of a text, number, boolean or null. Numbers that are not finite are written as null. */
function scalarBytes(value: unknown): number {
  if (typeof value === 'string') return textBytes(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value === 0 ? 0 : value).length : 4;
  return String(value).length;
}

/**
 * Bytes of a JSON value written compactly in UTF-8. Works without recursion, so that no depth overflows the stack.
 * Takes what `JSON.parse` returns.
 */
export function jsonBytes(value: unknown): number {
  if (!isContainer(value)) return scalarBytes(value);
  let bytes = 0;
  const waiting: (Readonly<Record<string, unknown>> | readonly unknown[])[] = [value];
  const add = (member: unknown): void => {
    if (isContainer(member)) waiting.push(member);
    else bytes += scalarBytes(member);
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isList(next)) {
      bytes += 2 + Math.max(0, next.length - 1);
      next.forEach(add);
    } else {
      const names = Object.keys(next);
      bytes += 2 + Math.max(0, names.length - 1);
      for (const name of names) {
        bytes += textBytes(name) + 1;
        add(next[name]);
      }
    }
  }
  return bytes;
}

/** `Array.isArray`, which does not narrow readonly lists. */
function isList(value: object): value is readonly unknown[] {
  return Array.isArray(value);
}

export interface Sized {
  bytes: number;
  /** The largest direct member of an object or item of a list. */
  largest?: { name: string; value: unknown; bytes: number };
}

/** The size of an object or list, and which of its direct members takes most of it, found in one walk. */
export function sizeOf(container: object): Sized {
  const names = Object.keys(container);
  const isItems = Array.isArray(container);
  const sized: Sized = { bytes: 2 + Math.max(0, names.length - 1) };
  for (const name of names) {
    const value: unknown = Reflect.get(container, name);
    const bytes = jsonBytes(value);
    sized.bytes += isItems ? bytes : bytes + textBytes(name) + 1;
    if (bytes > (sized.largest?.bytes ?? -1)) sized.largest = { name, value, bytes };
  }
  return sized;
}
