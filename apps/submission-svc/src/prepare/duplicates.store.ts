import type { RecordStatus } from '@esd/record/status/record-status';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

export interface Duplicate {
  recordId: number;
  status: RecordStatus;
  /** The account's own; else it is a public one. */
  own: boolean;
}

// Many copies of one record, which wait for review, must not make every further one dearer.
const MAX_LOOKED_AT = 20;

/**
 * The oldest record with each duplicate hash, by the hash in hex, among what `accountId` may know of: public revisions
 * and the account's own newest ones. Records in `except` are left out. Looks at the 20 oldest revisions with a hash.
 */
export async function findDuplicates(
  database: Kysely<Tables>,
  hashes: readonly Buffer[],
  { accountId, except }: { accountId: string | undefined; except: readonly number[] },
): Promise<Map<string, Duplicate>> {
  if (hashes.length === 0) return new Map();
  const { rows } = await sql<{ hash: Buffer; id: number; status: RecordStatus; own: boolean }>`
    select asked.hash, found.id, found.status, found.own
    from unnest(${hashes}::bytea[]) as asked (hash)
    cross join lateral (
      select record.id, record.status, record.owner_account_id is not distinct from ${accountId ?? null}::uuid
        and record.owner_account_id is not null as own
      from (
        select record_id, revision from record_revision
        where duplicate_hash = asked.hash and not record_id = any(${except}::bigint[])
        order by record_id
        limit ${MAX_LOOKED_AT}
      ) as alike
      join record on record.id = alike.record_id
      where alike.revision = record.published_revision
        or (alike.revision = record.revision and record.owner_account_id = ${accountId ?? null}::uuid)
      order by alike.record_id
      limit 1
    ) as found`.execute(database);
  return new Map(rows.map(({ hash, id, status, own }) => [hash.toString('hex'), { recordId: id, status, own }]));
}
