import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

export interface RecordsDigest {
  /** Adds the JSON text (UTF-8) of a record. Throws for text that is not well-formed Unicode. */
  update(recordJson: Uint8Array): void;
  /** Returns the digest of all records, 64 hexadecimal digits. */
  digest(): string;
}

/**
 * Computes the digest of the records of a state, added by ascending record id: SHA-256 over the canonical JSON (RFC 8785, UTF-8) of
 * each record, followed by a line feed. Users can reproduce it from the JSON export.
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

/** Computes SHA-256 of the canonical JSON of one record (RFC 8785). Throws for text that is not well-formed Unicode. */
export function recordHash(recordJson: Uint8Array): Buffer {
  return createHash('sha256').update(canonicalRecord(recordJson)).digest();
}

function canonicalRecord(recordJson: Uint8Array): string {
  const record: unknown = JSON.parse(Buffer.from(recordJson).toString());
  const canonical = canonicalize(record);
  if (canonical === undefined) throw new Error('a record cannot be expressed in JSON');
  return canonical;
}
