import { normalizeDoi } from '@esd/record/metadata/doi';
import { shorten } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import { type Insertable, type Kysely, type Selectable, type Transaction } from 'kysely';
import { lockUntilCommit } from '@esd/background/advisory-lock';
import type { Tables } from '../tables.ts';
import type { VersionTable } from './version.table.ts';

export type VersionRow = Selectable<VersionTable>;

const MAX_NAMED = 20;

/** Lets one at a time reserve or describe versions, so that identifiers and DOIs are checked before they are taken. */
export async function lockVersions(transaction: Transaction<Tables>): Promise<void> {
  await lockUntilCommit(transaction, 'esd versions');
}

/** The frozen versions, the newest first. */
export async function findFrozenVersions(database: Kysely<Tables>): Promise<VersionRow[]> {
  return database
    .selectFrom('version')
    .selectAll()
    .where('state', '=', 'FROZEN')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** The frozen version of an identifier or a DOI in any spelling. Throws VERSION_NOT_FOUND with the known identifiers. */
export async function getFrozenVersion(database: Kysely<Tables>, name: string): Promise<VersionRow> {
  const row = await database
    .selectFrom('version')
    .selectAll()
    .where('state', '=', 'FROZEN')
    .where((on) => on.or([on('identifier', '=', name), on('doi', '=', normalizeDoi(name))]))
    .executeTakeFirst();
  if (!row) throw await unknownVersion(database, `"${shorten(name)}"`);
  return row;
}

/** The frozen version of an id. Throws VERSION_NOT_FOUND with the known identifiers. */
export async function getFrozenVersionById(database: Kysely<Tables>, id: number): Promise<VersionRow> {
  const row = await database
    .selectFrom('version')
    .selectAll()
    .where('state', '=', 'FROZEN')
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw await unknownVersion(database, `with the id ${id}`);
  return row;
}

/** A version in any state. Throws VERSION_NOT_FOUND. */
export async function getVersion(database: Kysely<Tables>, id: number): Promise<VersionRow> {
  const row = await database.selectFrom('version').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw new ServiceError('VERSION_NOT_FOUND', `There is no version with the id ${id}.`);
  return row;
}

/** The version that a job holds. */
export async function findVersionOfJob(database: Kysely<Tables>, jobId: string): Promise<VersionRow | undefined> {
  return database.selectFrom('version').selectAll().where('job_id', '=', jobId).executeTakeFirst();
}

/** Throws CONFLICT when a version other than `id` has the DOI. */
export async function refuseTakenDoi(
  transaction: Transaction<Tables>,
  doi: string,
  id: number | undefined,
): Promise<void> {
  const holder = await transaction
    .selectFrom('version')
    .select(['id', 'identifier'])
    .where('doi', '=', doi)
    .executeTakeFirst();
  if (!holder || holder.id === id) return;
  throw new ServiceError('CONFLICT', `The DOI ${doi} is that of the version ${holder.identifier}.`);
}

/** Notes in the trail what is done to a version, in the transaction that does it. */
export async function noteChange(
  transaction: Transaction<Tables>,
  change: Omit<Insertable<Tables['version_change']>, 'details'> & { details: object },
): Promise<void> {
  await transaction
    .insertInto('version_change')
    .values({ ...change, details: JSON.stringify(change.details) })
    .execute();
}

async function unknownVersion(database: Kysely<Tables>, what: string): Promise<ServiceError> {
  const known = (await findFrozenVersions(database)).map(({ identifier }) => identifier);
  const more = known.length > MAX_NAMED ? ` and ${known.length - MAX_NAMED} older ones` : '';
  const names = known.length === 0 ? 'none yet' : `${known.slice(0, MAX_NAMED).join(', ')}${more}`;
  return new ServiceError('VERSION_NOT_FOUND', `There is no version ${what}; known versions: ${names}.`);
}
