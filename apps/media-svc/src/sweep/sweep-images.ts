import { type Kysely, sql } from 'kysely';
import type { RecordImage } from '../attach/record-image.ts';
import type { Tables } from '../tables.ts';

/** Days after which an unattached image is deleted. */
export const UNATTACHED_DAYS = 7;
/** Hours after which a reservation or claim without a stored record counts as failed. */
export const CLAIM_HOURS = 1;
// Claims are checked daily, in case a deleted record was never reported.
const CONFIRM_DAYS = 1;
const BATCH = 1_000;

/** Finds the images that a record contains, according to submission-svc. */
export type FindUses = (imageIds: readonly string[]) => Promise<RecordImage[]>;

interface Candidate {
  id: string;
  record_id: number | null;
  since: Date;
}

/** Ids of the images that a sweep changed. */
export interface SweptImages {
  /** Unattached for too long. */
  deleted: string[];
  /** Claimed or reserved, but contained in no record. */
  released: string[];
  /** Unattached or only reserved, but contained in a record. */
  reattached: string[];
}

/**
 * Resolves reservations that were neither claimed nor canceled, releases images whose claim led to no record, and deletes
 * images that were unattached for 7 days. Queries submission-svc first, so that no record loses an image. Skips
 * published images.
 */
export async function sweepImages(database: Kysely<Tables>, findUses: FindUses): Promise<SweptImages> {
  const swept: SweptImages = { deleted: [], released: [], reattached: [] };
  await sql`update image set client = null where client is not null and uploaded_at < now() - interval '1 day'`.execute(
    database,
  );
  await sql`
    update image set account_id = null
    where account_id is not null and uploaded_at < now() - make_interval(days => ${UNATTACHED_DAYS})`.execute(database);
  for await (const reserved of batches(database, expiredReservations(database))) {
    const uses = usesById(await findUses(reserved.map(({ id }) => id)));
    const ended = await endReservations(database, reserved, uses);
    swept.reattached.push(...ended.flatMap(({ id, record_id }) => (record_id === null ? [] : [id])));
    swept.released.push(...ended.flatMap(({ id, record_id }) => (record_id === null ? [id] : [])));
  }
  for await (const claims of batches(database, claimsToConfirm(database))) {
    const uses = usesById(await findUses(claims.map(({ id }) => id)));
    const [confirmed, unconfirmed] = split(claims, ({ id, record_id }) => uses.get(id) === record_id);
    await confirm(database, confirmed);
    // If another record contains the image, an operator must decide.
    swept.released.push(
      ...(await release(
        database,
        unconfirmed.filter(({ id }) => !uses.has(id)),
      )),
    );
    await confirm(
      database,
      unconfirmed.filter(({ id }) => uses.has(id)),
    );
  }
  for await (const unattached of batches(database, expiredUnattached(database))) {
    const uses = usesById(await findUses(unattached.map(({ id }) => id)));
    const [used, unused] = split(unattached, ({ id }) => uses.has(id));
    swept.reattached.push(...(await reattach(database, used, uses)));
    swept.deleted.push(...(await remove(database, unused)));
  }
  return swept;
}

function expiredReservations(database: Kysely<Tables>) {
  return database
    .selectFrom('image')
    .where('reserved_for', 'is not', null)
    .where('since', '<', sql<Date>`now() - make_interval(hours => ${CLAIM_HOURS})`);
}

function claimsToConfirm(database: Kysely<Tables>) {
  return database
    .selectFrom('image')
    .where('record_id', 'is not', null)
    .where('reserved_for', 'is', null)
    .where('published_at', 'is', null)
    .where('since', '<', sql<Date>`now() - make_interval(hours => ${CLAIM_HOURS})`)
    .where((row) =>
      row.or([
        row('confirmed_at', 'is', null),
        row('confirmed_at', '<', sql<Date>`now() - make_interval(days => ${CONFIRM_DAYS})`),
      ]),
    );
}

function expiredUnattached(database: Kysely<Tables>) {
  return database
    .selectFrom('image')
    .where('record_id', 'is', null)
    .where('reserved_for', 'is', null)
    .where('since', '<', sql<Date>`now() - make_interval(days => ${UNATTACHED_DAYS})`);
}

/** Yields the images of a query in batches; changes to one batch do not affect the next. */
async function* batches(
  database: Kysely<Tables>,
  query: ReturnType<typeof expiredUnattached>,
): AsyncGenerator<Candidate[]> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const batch = await query
      .select(['id', 'record_id', 'since'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    const last = batch.at(-1);
    if (!last) return;
    yield batch;
    after = last.id;
  }
}

/** Matches images that were not claimed or released since they were read: both set `since`. */
function unchanged(candidates: readonly Candidate[]) {
  const ids = candidates.map(({ id }) => id);
  const since = candidates.map((one) => one.since.toISOString());
  return sql`
    from unnest(${ids}::uuid[], ${since}::timestamptz[]) as seen (id, since)
    where image.id = seen.id and date_trunc('milliseconds', image.since) = seen.since and image.published_at is null`;
}

/** Ends reservations and attaches images to their records; returns the images that were unattached. */
async function endReservations(
  database: Kysely<Tables>,
  candidates: readonly Candidate[],
  uses: ReadonlyMap<string, number>,
): Promise<{ id: string; record_id: number | null }[]> {
  const { rows } = await sql<{ id: string; record_id: number | null }>`
    update image set reserved_for = null, since = now(), record_id = coalesce(image.record_id, reserved.record_id)
    from unnest(
      ${candidates.map(({ id }) => id)}::uuid[],
      ${candidates.map(({ since }) => since.toISOString())}::timestamptz[],
      ${candidates.map(({ id }) => uses.get(id) ?? null)}::bigint[]
    ) as reserved (id, since, record_id)
    where image.id = reserved.id and date_trunc('milliseconds', image.since) = reserved.since
      and image.reserved_for is not null and image.published_at is null
    returning image.id, image.record_id`.execute(database);
  const unattached = new Set(candidates.flatMap(({ id, record_id }) => (record_id === null ? [id] : [])));
  return rows.filter(({ id }) => unattached.has(id));
}

async function confirm(database: Kysely<Tables>, candidates: readonly Candidate[]): Promise<void> {
  await sql`update image set confirmed_at = now() ${unchanged(candidates)}`.execute(database);
}

async function release(database: Kysely<Tables>, candidates: readonly Candidate[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update image set record_id = null, since = now(), confirmed_at = null ${unchanged(candidates)}
    and image.record_id is not null returning image.id`.execute(database);
  return rows.map(({ id }) => id);
}

async function reattach(
  database: Kysely<Tables>,
  candidates: readonly Candidate[],
  uses: ReadonlyMap<string, number>,
): Promise<string[]> {
  const reattached: string[] = [];
  for (const candidate of candidates) {
    const { rows } = await sql<{ id: string }>`
      update image set record_id = ${uses.get(candidate.id)}, since = now() ${unchanged([candidate])}
      and image.record_id is null returning image.id`.execute(database);
    reattached.push(...rows.map(({ id }) => id));
  }
  return reattached;
}

async function remove(database: Kysely<Tables>, candidates: readonly Candidate[]): Promise<string[]> {
  const ids = candidates.map(({ id }) => id);
  const rows = await database
    .deleteFrom('image')
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('record_id', 'is', null)
    .where('reserved_for', 'is', null)
    .where('since', '<', sql<Date>`now() - make_interval(days => ${UNATTACHED_DAYS})`)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

function usesById(uses: readonly RecordImage[]): Map<string, number> {
  return new Map(uses.map(({ imageId, recordId }) => [imageId.toLowerCase(), recordId]));
}

function split<Item>(items: readonly Item[], holds: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(holds), items.filter((item) => !holds(item))];
}
