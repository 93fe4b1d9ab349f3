import { createHash } from 'node:crypto';

/** Takes the records of a state one after the other. */
export interface RecordsDigest {
  /** A record as it is served, JSON text in UTF-8. */
  update(recordJson: Uint8Array): void;
  /** The digest of all that came, 64 hexadecimal digits. */
  digest(): string;
}

/**
 * The digest of the records of a state, taken by ascending record id: SHA-256 over the canonical JSON of each (RFC 8785),
 * in UTF-8 and each followed by a line feed. Anybody can compute it from the json export.
 */
export function recordsDigest(): RecordsDigest {
  const hash = createHash('sha256');
  return {
    update: (recordJson) => {
      hash.update(canonicalJson(JSON.parse(Buffer.from(recordJson).toString()))).update('\n');
    },
    digest: () => hash.digest('hex'),
  };
}

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
  throw new Error(`JSON cannot express a ${typeof value}`);
}

function canonicalText(text: string): string {
  if (!text.isWellFormed()) throw new Error('the text is not well-formed Unicode');
  return JSON.stringify(text);
}
