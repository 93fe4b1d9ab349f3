import type { RecordStatus } from '@esd/record/status/record-status';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

export interface Duplicate {
  recordId: number;
  status: RecordStatus;
  /** Whether it belongs to the account; otherwise it is public. */
  own: boolean;
}

// Considers only the oldest revisions with a hash, which bounds the cost if many pending records are equal.
const MAX_CONSIDERED = 20;

/** Finds the oldest record for each duplicate hash (hex) among public revisions and the newest ones of `accountId`. */
export async function findDuplicates(
  database: Kysely<Tables>,
  hashes: readonly Buffer[],
  { accountId, except }: { accountId: string | undefined; except: readonly number[] },
): Promise<Map<string, Duplicate>> {
  if (hashes.length === 0) return new Map();
  const { rows } = await sql<{ hash: Buffer; id: number; status: RecordStatus; own: boolean }>`
    select wanted.hash, found.id, found.status, found.own
    from unnest(${hashes}::bytea[]) as wanted (hash)
    cross join lateral (
      select record.id, record.status, record.owner_account_id is not distinct from ${accountId ?? null}::uuid
        and record.owner_account_id is not null as own
      from (
        select record_id, revision from record_revision
        where duplicate_hash = wanted.hash and not record_id = any(${except}::bigint[])
        order by record_id
        limit ${MAX_CONSIDERED}
      ) as candidate
      join record on record.id = candidate.record_id
      where candidate.revision = record.published_revision
        or (candidate.revision = record.revision and record.owner_account_id = ${accountId ?? null}::uuid)
      order by candidate.record_id
      limit 1
    ) as found`.execute(database);
  return new Map(rows.map(({ hash, id, status, own }) => [hash.toString('hex'), { recordId: id, status, own }]));
}
