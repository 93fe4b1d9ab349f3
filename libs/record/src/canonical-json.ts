/**
 * A JSON value as its one canonical text, RFC 8785 (JSON Canonicalization Scheme): no white space, members in the order of
 * the UTF-16 code units of their names, numbers and strings as ECMAScript writes them. Throws for what JSON cannot
 * express, and for text that is not well-formed Unicode.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${members.map(([name, member]) => `${canonicalText(name)}:${canonicalJson(member)}`).join(',')}}`;
  }
  if (typeof value === 'string') return canonicalText(value);
  if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) {
    return JSON.stringify(value);
  }
  throw new Error(`JSON cannot express ${String(value)}`);
}

function canonicalText(text: string): string {
  if (!text.isWellFormed()) throw new Error('the text is not well-formed Unicode');
  return JSON.stringify(text);
}
