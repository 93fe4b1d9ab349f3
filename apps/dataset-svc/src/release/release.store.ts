import { normalizeDoi } from '@esd/record/metadata/doi';
import { shorten } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import { type Insertable, type Kysely, type Selectable, type Transaction } from 'kysely';
import { lockUntilCommit } from '@esd/background/advisory-lock';
import type { Tables } from '../tables.ts';
import type { ReleaseTable } from './release.table.ts';

export type ReleaseRow = Selectable<ReleaseTable>;

const MAX_NAMED = 20;

/** Serializes reserving and describing releases, so that identifiers and DOIs are checked before they are assigned. */
export async function lockReleases(transaction: Transaction<Tables>): Promise<void> {
  await lockUntilCommit(transaction, 'esd versions');
}

/** Lists the frozen releases, newest first. */
export async function findFrozenReleases(database: Kysely<Tables>): Promise<ReleaseRow[]> {
  return database
    .selectFrom('release')
    .selectAll()
    .where('state', '=', 'FROZEN')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Returns the release with an identifier, or with a DOI in any spelling. Throws VERSION_NOT_FOUND with the known identifiers. */
export async function getFrozenRelease(database: Kysely<Tables>, name: string): Promise<ReleaseRow> {
  const row = await database
    .selectFrom('release')
    .selectAll()
    .where('state', '=', 'FROZEN')
    .where((on) => on.or([on('identifier', '=', name), on('doi', '=', normalizeDoi(name))]))
    .executeTakeFirst();
  if (!row) throw await unknownRelease(database, `"${shorten(name)}"`);
  return row;
}

/** Returns the frozen release with an id. Throws VERSION_NOT_FOUND with the known identifiers. */
export async function getFrozenReleaseById(database: Kysely<Tables>, id: number): Promise<ReleaseRow> {
  const row = await database
    .selectFrom('release')
    .selectAll()
    .where('state', '=', 'FROZEN')
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw await unknownRelease(database, `with the id ${id}`);
  return row;
}

export async function getRelease(database: Kysely<Tables>, id: number): Promise<ReleaseRow> {
  const row = await database.selectFrom('release').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw new ServiceError('VERSION_NOT_FOUND', `There is no release with the id ${id}.`);
  return row;
}

export async function findReleaseOfJob(database: Kysely<Tables>, jobId: string): Promise<ReleaseRow | undefined> {
  return database.selectFrom('release').selectAll().where('job_id', '=', jobId).executeTakeFirst();
}

/** Throws CONFLICT if a release other than `id` has the DOI, or had it while it was frozen. */
export async function refuseTakenDoi(
  transaction: Transaction<Tables>,
  doi: string,
  id: number | undefined,
): Promise<void> {
  const holders = await transaction
    .selectFrom('release')
    .leftJoin('release_doi', 'release_doi.release_id', 'release.id')
    .select(['release.id', 'release.identifier', 'release.doi'])
    .where((on) => on.or([on('release.doi', '=', doi), on('release_doi.doi', '=', doi)]))
    .execute();
  const holder = holders.find((other) => other.id !== id);
  if (!holder) return;
  const message =
    holder.doi === doi
      ? `The DOI ${doi} belongs to the release ${holder.identifier}. Choose another DOI.`
      : `The DOI ${doi} belonged to the release ${holder.identifier} and may be cited. Choose another DOI.`;
  throw new ServiceError('CONFLICT', message);
}

/** Adds an action on a release to the audit trail, in the transaction of the action. */
export async function noteChange(
  transaction: Transaction<Tables>,
  change: Omit<Insertable<Tables['release_change']>, 'details'> & { details: object },
): Promise<void> {
  await transaction
    .insertInto('release_change')
    .values({ ...change, details: JSON.stringify(change.details) })
    .execute();
}

async function unknownRelease(database: Kysely<Tables>, what: string): Promise<ServiceError> {
  const known = (await findFrozenReleases(database)).map(({ identifier }) => identifier);
  const more = known.length > MAX_NAMED ? ` and ${known.length - MAX_NAMED} older ones` : '';
  const names = known.length === 0 ? 'none yet' : `${known.slice(0, MAX_NAMED).join(', ')}${more}`;
  return new ServiceError('VERSION_NOT_FOUND', `There is no release ${what}. Known releases: ${names}.`);
}
