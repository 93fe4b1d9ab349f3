import { ServiceError } from '@esd/service/errors';
import type { Insertable, Kysely, Selectable } from 'kysely';
import { lockAccount } from '../account/erase-account.ts';
import type { Tables } from '../tables.ts';
import type { SnapshotTable } from './snapshot.table.ts';

export type SnapshotRow = Selectable<SnapshotTable>;

export const MAX_SNAPSHOTS = 1_000;

/** Stores a snapshot. Throws CONFLICT at the maximum number, TOKEN_INVALID if the account is deleted. */
export async function insertSnapshot(
  database: Kysely<Tables>,
  snapshot: Insertable<SnapshotTable>,
  rowList: Buffer,
): Promise<SnapshotRow> {
  const { owner_account_id: owner } = snapshot;
  return database.transaction().execute(async (transaction) => {
    await lockAccount(transaction, owner);
    const deletedAccount = await transaction
      .selectFrom('deleted_account')
      .select('account_id')
      .where('account_id', '=', owner)
      .executeTakeFirst();
    if (deletedAccount) throw new ServiceError('TOKEN_INVALID', 'The account of this credential has been deleted.');
    const { count } = await transaction
      .selectFrom('snapshot')
      .select((on) => on.fn.countAll<number>().as('count'))
      .where('owner_account_id', '=', owner)
      .executeTakeFirstOrThrow();
    if (count >= MAX_SNAPSHOTS) {
      throw new ServiceError('CONFLICT', `An account can have at most ${MAX_SNAPSHOTS} snapshots. Delete one first.`);
    }
    const made = await transaction.insertInto('snapshot').values(snapshot).returningAll().executeTakeFirstOrThrow();
    await transaction.insertInto('snapshot_rows').values({ snapshot_id: made.id, row_list: rowList }).execute();
    return made;
  });
}

/** Finds the revision and creation time of a snapshot of any account. Throws SNAPSHOT_NOT_FOUND. */
export async function findSnapshotState(
  database: Kysely<Tables>,
  id: number,
): Promise<Pick<SnapshotRow, 'revision' | 'created_at'>> {
  const row = await database
    .selectFrom('snapshot')
    .select(['revision', 'created_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound(id);
  return row;
}

/** Reads the packed row list of a snapshot, which may be large. Throws SNAPSHOT_NOT_FOUND. */
export async function readSnapshotRows(database: Kysely<Tables>, id: number): Promise<Buffer> {
  const row = await database
    .selectFrom('snapshot_rows')
    .select('row_list')
    .where('snapshot_id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound(id);
  return row.row_list;
}

export async function findSnapshots(database: Kysely<Tables>, owner: string): Promise<SnapshotRow[]> {
  return database
    .selectFrom('snapshot')
    .selectAll()
    .where('owner_account_id', '=', owner)
    .orderBy('id', 'desc')
    .execute();
}

/** Returns a snapshot of an account. Throws SNAPSHOT_NOT_FOUND, also for a snapshot of another account. */
export async function getSnapshot(database: Kysely<Tables>, owner: string, id: number): Promise<SnapshotRow> {
  const row = await database
    .selectFrom('snapshot')
    .selectAll()
    .where('id', '=', id)
    .where('owner_account_id', '=', owner)
    .executeTakeFirst();
  if (!row) throw notFound(id);
  return row;
}

/** Deletes a snapshot of an account. Throws SNAPSHOT_NOT_FOUND, also for a snapshot of another account. */
export async function deleteSnapshot(database: Kysely<Tables>, owner: string, id: number): Promise<void> {
  const deleted = await database
    .deleteFrom('snapshot')
    .where('id', '=', id)
    .where('owner_account_id', '=', owner)
    .returning('id')
    .executeTakeFirst();
  if (!deleted) throw notFound(id);
}

function notFound(id: number): ServiceError {
  return new ServiceError('SNAPSHOT_NOT_FOUND', `You have no snapshot ${id}.`);
}
