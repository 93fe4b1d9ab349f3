import type { ExperimentData } from '@esd/record/catalog/catalog';
import { recordDifference } from '@esd/record/catalog/record-difference';
import { ServiceError } from '@esd/service/errors';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import { jsonChunks } from './json-chunks.ts';

const ROWS_PER_STATEMENT = 500;
// Each may include a revision of up to 256 KB.
const ENTRIES_WITH_DATA = 50;

export interface HistoryEntry {
  id: number;
  recordId: number;
  revision: number;
  at: Date;
  action: Tables['audit']['action'];
  reason: string | null;
  /** Other accounts appear by role only. */
  by: 'owner' | 'moderator' | 'service';
}

/** Returns the next history entries of an account's records, or of one of them, by record and time. */
export function historyEntries(
  database: Kysely<Tables>,
  accountId: string,
  after: Pick<HistoryEntry, 'recordId' | 'id'> | undefined,
  { recordId, limit = ROWS_PER_STATEMENT }: { recordId?: number; limit?: number } = {},
): Promise<HistoryEntry[]> {
  let query = database
    .selectFrom('audit')
    .innerJoin('record', 'record.id', 'audit.record_id')
    .select(['audit.id', 'audit.record_id as recordId', 'audit.record_revision as revision', 'at', 'action', 'reason'])
    .select(
      sql<HistoryEntry['by']>`case when actor_account_id = ${accountId} then 'owner'
        when actor_account_id is null then 'service' else 'moderator' end`.as('by'),
    )
    .where('owner_account_id', '=', accountId)
    .where(sql<boolean>`(audit.record_id, audit.id) > (${after?.recordId ?? 0}, ${after?.id ?? 0})`);
  if (recordId !== undefined) query = query.where('audit.record_id', '=', recordId);
  return query.orderBy('audit.record_id').orderBy('audit.id').limit(limit).execute();
}

/** Returns the history of an account's record, oldest first, as a JSON array in chunks. Throws RECORD_NOT_FOUND. */
export async function getOwnHistory(
  database: Kysely<Tables>,
  accountId: string,
  recordId: number,
): Promise<AsyncGenerator<Buffer>> {
  const own = await database
    .selectFrom('record')
    .select('id')
    .where('id', '=', recordId)
    .where('owner_account_id', '=', accountId)
    .executeTakeFirst();
  if (!own) throw new ServiceError('RECORD_NOT_FOUND', `You have no record ${recordId}.`);
  return jsonChunks('[', entriesWithChanges(database, accountId, recordId), ']');
}

async function* entriesWithChanges(
  database: Kysely<Tables>,
  accountId: string,
  recordId: number,
): AsyncGenerator<string> {
  const part = { recordId, limit: ENTRIES_WITH_DATA };
  let known: { revision: number; data: ExperimentData } | undefined;
  let entries = await historyEntries(database, accountId, undefined, part);
  while (entries.length > 0) {
    const seen = known?.revision ?? 0;
    const revisions = entries.map(({ revision }) => revision).filter((revision) => revision > seen);
    const contents = await findContents(database, recordId, revisions);
    for (const { at, action, revision, by, reason } of entries) {
      const data = revision > (known?.revision ?? 0) ? contents.get(revision) : undefined;
      const changes = known && data ? recordDifference(known.data, data) : [];
      if (data) known = { revision, data };
      yield JSON.stringify({
        at,
        action,
        revision,
        by,
        ...(reason === null ? {} : { reason }),
        ...(changes.length === 0
          ? {}
          : {
              changes: changes.map(({ path, published, proposed }) => ({ path, before: published, after: proposed })),
            }),
      });
    }
    entries = await historyEntries(database, accountId, entries.at(-1), part);
  }
}

async function findContents(
  database: Kysely<Tables>,
  recordId: number,
  revisions: readonly number[],
): Promise<Map<number, ExperimentData>> {
  const rows = await database
    .selectFrom('record_revision')
    .select(['revision', 'data'])
    .where('record_id', '=', recordId)
    .where('revision', '=', sql<number>`any(${revisions}::integer[])`)
    .execute();
  return new Map(rows.map(({ revision, data }) => [revision, data]));
}
