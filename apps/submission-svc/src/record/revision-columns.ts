import type { RecordStatus } from '@esd/record/record-status';
import { type RawBuilder, sql } from 'kysely';
import type { JudgedRecord } from '../warnings/judge-records.ts';

/** What a revision is stored with, and the status that its record has with it. */
export type NewRevision = Omit<JudgedRecord, 'data'> & { status: RecordStatus };

/**
 * Revisions as a function in FROM, a row each in their order: `status, data, missing_fields, warnings, content_hash,
 * duplicate_hash`. One parameter however many they are.
 */
export function revisionColumns(revisions: readonly NewRevision[]): RawBuilder<unknown> {
  const rows = revisions.map(({ status, json, missingFields, warnings, contentHash, duplicateHash }) => {
    const others = JSON.stringify({
      status,
      missing_fields: missingFields,
      warnings,
      content_hash: byteText(contentHash),
      duplicate_hash: duplicateHash && byteText(duplicateHash),
    });
    // The data as the text that they are already.
    return `${others.slice(0, -1)},"data":${json}}`;
  });
  return sql`json_to_recordset(${`[${rows.join(',')}]`}::json) as (
    status text, data json, missing_fields text[], warnings json, content_hash bytea, duplicate_hash bytea)`;
}

/** Bytes as PostgreSQL reads them. */
function byteText(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}
