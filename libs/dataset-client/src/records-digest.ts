import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Takes the records of a state one after the other. */
export interface RecordsDigest {
  /** A record as it is served, JSON text in UTF-8. Throws for text that is not well-formed Unicode. */
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
      hash.update(canonicalRecord(recordJson)).update('\n');
    },
    digest: () => hash.digest('hex'),
  };
}

/** SHA-256 of the canonical JSON of one record (RFC 8785). Throws for text that is not well-formed Unicode. */
export function recordHash(recordJson: Uint8Array): Buffer {
  return createHash('sha256').update(canonicalRecord(recordJson)).digest();
}

function canonicalRecord(recordJson: Uint8Array): string {
  const record: unknown = JSON.parse(Buffer.from(recordJson).toString());
  const canonical = canonicalize(record);
  if (canonical === undefined) throw new Error('a record that JSON cannot express');
  return canonical;
}
