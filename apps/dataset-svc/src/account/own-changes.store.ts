import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

const MAX_CHANGES = 10_000;

/** A change to an entry of a reference list, or an action on a release. */
export interface OwnChange {
  at: Date;
  action: string;
  of: { list: string; entryId: number } | { version: string };
}

/** Lists what an account changed in reference lists and releases, newest first, at most 10,000 changes. */
export async function findOwnChanges(database: Kysely<Tables>, accountId: string): Promise<OwnChange[]> {
  const entries = await database
    .selectFrom('reference_change')
    .select(['at', 'action', 'list', 'entry_id as entryId'])
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(MAX_CHANGES)
    .execute();
  const releases = await database
    .selectFrom('release_change')
    .innerJoin('release', 'release.id', 'release_change.release_id')
    .select(['release_change.at', 'release_change.action', 'release.identifier as version'])
    .where('release_change.account_id', '=', accountId)
    .orderBy('release_change.id', 'desc')
    .limit(MAX_CHANGES)
    .execute();
  const changes = [
    ...entries.map(({ at, action, list, entryId }): OwnChange => ({ at, action, of: { list, entryId } })),
    ...releases.map(({ at, action, version }): OwnChange => ({ at, action, of: { version } })),
  ];
  return changes.sort((one, other) => other.at.getTime() - one.at.getTime()).slice(0, MAX_CHANGES);
}
