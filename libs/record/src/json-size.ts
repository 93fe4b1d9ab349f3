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

/**
 * Bytes of a JSON value written compactly in UTF-8. Works without recursion, so that no depth overflows the stack.
 * Takes what `JSON.parse` returns.
 */
export function jsonBytes(value: unknown): number {
  let bytes = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') bytes += textBytes(next);
    else if (Array.isArray(next)) {
      bytes += 2 + Math.max(0, next.length - 1);
      for (const item of next) waiting.push(item);
    } else if (typeof next === 'object' && next !== null) {
      const members = Object.entries(next);
      bytes += 2 + Math.max(0, members.length - 1);
      for (const [name, member] of members) {
        bytes += textBytes(name) + 1;
        waiting.push(member);
      }
    } else bytes += JSON.stringify(next)?.length ?? 0;
  }
  return bytes;
}

/** The largest direct member of an object, with its size in bytes, or undefined when there is none. */
export function largestMember(value: object): { name: string; value: unknown; bytes: number } | undefined {
  let largest: { name: string; value: unknown; bytes: number } | undefined;
  for (const [name, member] of Object.entries(value)) {
    const bytes = jsonBytes(member);
    if (bytes > (largest?.bytes ?? -1)) largest = { name, value: member, bytes };
  }
  return largest;
}
