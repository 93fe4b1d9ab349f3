import { lockUntilCommit } from '@esd/background/advisory-lock';
import { ServiceError } from '@esd/service/errors';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { FeedbackState, ImageMediaType } from './feedback.table.ts';

export interface FeedbackEntry {
  id: number;
  name: string;
  category: string;
  subject: string;
  message: string;
  hasImage: boolean;
  state: FeedbackState;
  note: string | null;
  submittedAt: Date;
  changedAt: Date | null;
  changedBy: string | null;
}

export interface FeedbackFile {
  mediaType: ImageMediaType;
  content: Buffer;
}

export interface NewFeedback {
  name: string;
  category: string;
  subject: string;
  message: string;
  image: FeedbackFile | undefined;
}

export interface Sender {
  /** The current origin of the sender, followed by those of earlier months. */
  origins: readonly [string, ...string[]];
  signedIn: boolean;
}

/** Open feedback that counts toward the limits. */
export interface FeedbackUse {
  imageBytes: number;
  anonymousImageBytes: number;
  ownImageBytes: number;
  anonymous: number;
  /** Number of messages from the sender in the last 24 hours, and the time of the first one. */
  ownOfDay: number;
  ownSince: Date | null;
}

const columns = [
  'id',
  'name',
  'category',
  'subject',
  'message',
  'state',
  'note',
  'submitted_at as submittedAt',
  'changed_at as changedAt',
  'changed_by as changedBy',
] as const;
const hasImage = sql<boolean>`image_media_type is not null`.as('hasImage');

const notFound = (id: number) => new ServiceError('FEEDBACK_NOT_FOUND', `There is no feedback message ${id}.`);

export async function insertFeedback(
  transaction: Transaction<Tables>,
  { image, ...texts }: NewFeedback,
  { origins, signedIn }: Sender,
): Promise<number> {
  const { id } = await transaction
    .insertInto('feedback')
    .values({
      ...texts,
      image: image?.content ?? null,
      image_media_type: image?.mediaType ?? null,
      note: null,
      changed_at: null,
      changed_by: null,
      sender: origins[0],
      signed_in: signedIn,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Counts open feedback. Serializes the requests of the sender until the transaction ends. */
export async function countFeedback(transaction: Transaction<Tables>, { origins }: Sender): Promise<FeedbackUse> {
  await lockUntilCommit(transaction, `esd feedback ${origins[0]}`);
  const own = sql`sender = any(${origins}::text[])`;
  const ownOfDay = sql`${own} and submitted_at > now() - interval '1 day'`;
  const { rows } = await sql<FeedbackUse>`
    select coalesce(sum(image_bytes), 0)::bigint as "imageBytes",
      coalesce(sum(image_bytes) filter (where not signed_in), 0)::bigint as "anonymousImageBytes",
      coalesce(sum(image_bytes) filter (where ${own}), 0)::bigint as "ownImageBytes",
      count(*) filter (where not signed_in) as "anonymous",
      count(*) filter (where ${ownOfDay}) as "ownOfDay",
      min(submitted_at) filter (where ${ownOfDay}) as "ownSince"
    from feedback where state <> 'CLOSED'`.execute(transaction);
  const [use] = rows;
  if (!use) throw new Error('the count returned no row');
  return use;
}

/** Returns a page of feedback, newest first, with the total. */
export async function findFeedback(
  database: Kysely<Tables>,
  { state, skip, limit }: { state: FeedbackState | undefined; skip: number; limit: number },
): Promise<{ feedback: FeedbackEntry[]; total: number }> {
  let matching = database.selectFrom('feedback');
  if (state !== undefined) matching = matching.where('state', '=', state);
  const feedback = await matching
    .select([...columns, hasImage])
    .orderBy('id', 'desc')
    .offset(skip)
    .limit(limit)
    .execute();
  const { total } = await matching.select((on) => on.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { feedback, total };
}

/** Throws FEEDBACK_NOT_FOUND. */
export async function getFeedback(database: Kysely<Tables>, id: number): Promise<FeedbackEntry> {
  const row = await database
    .selectFrom('feedback')
    .select([...columns, hasImage])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound(id);
  return row;
}

/** Throws FEEDBACK_NOT_FOUND, also for feedback without an image. */
export async function getFeedbackImage(database: Kysely<Tables>, id: number): Promise<FeedbackFile> {
  const row = await database
    .selectFrom('feedback')
    .select(['image', 'image_media_type'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound(id);
  const { image, image_media_type: mediaType } = row;
  if (!image || !mediaType) throw new ServiceError('FEEDBACK_NOT_FOUND', `Feedback message ${id} has no image.`);
  return { mediaType, content: image };
}

/** Sets the state and, if given, the note; an empty text deletes the note. Throws FEEDBACK_NOT_FOUND. */
export async function updateFeedback(
  database: Kysely<Tables>,
  id: number,
  { state, note, accountId }: { state: FeedbackState; note: string | undefined; accountId: string },
): Promise<FeedbackEntry> {
  const row = await database
    .updateTable('feedback')
    .set({
      state,
      changed_at: sql`now()`,
      changed_by: accountId,
      ...(state === 'CLOSED' ? { sender: null } : {}),
      ...(note === undefined ? {} : { note: note === '' ? null : note }),
    })
    .where('id', '=', id)
    .returning([...columns, hasImage])
    .executeTakeFirst();
  if (!row) throw notFound(id);
  return row;
}

/** Deletes feedback with its image; the audit trail keeps its id and the deleting account. Throws FEEDBACK_NOT_FOUND. */
export async function deleteFeedback(
  database: Kysely<Tables>,
  id: number,
  { accountId, requestId }: { accountId: string; requestId: string },
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const { numDeletedRows } = await transaction.deleteFrom('feedback').where('id', '=', id).executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) throw notFound(id);
    await addFeedbackAudit(transaction, [id], { accountId, requestId });
  });
}

/** Adds the deletion of feedback to the audit trail; the account is null after a retention period. */
export async function addFeedbackAudit(
  transaction: Transaction<Tables>,
  ids: readonly number[],
  { accountId, requestId }: { accountId: string | null; requestId: string },
): Promise<void> {
  await transaction
    .insertInto('feedback_audit')
    .values(
      ids.map((id) => ({
        actor_account_id: accountId,
        action: 'delete' as const,
        feedback_id: id,
        request_id: requestId,
      })),
    )
    .execute();
}
