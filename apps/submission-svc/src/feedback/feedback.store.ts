import { ServiceError } from '@esd/service/errors';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import type { FeedbackState, ImageMediaType } from './feedback.table.ts';

/** Feedback without the bytes of its image. */
export interface Feedback {
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
  /** Account id of the administrator. */
  changedBy: string | null;
}

export interface FeedbackImage {
  mediaType: ImageMediaType;
  content: Buffer;
}

export interface NewFeedback {
  name: string;
  category: string;
  subject: string;
  message: string;
  image: FeedbackImage | undefined;
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

const notFound = (id: number) => new ServiceError('FEEDBACK_NOT_FOUND', `There is no feedback ${id}.`);

/** Stores feedback, and returns its id. */
export async function insertFeedback(database: Kysely<Tables>, { image, ...texts }: NewFeedback): Promise<number> {
  const { id } = await database
    .insertInto('feedback')
    .values({
      ...texts,
      image: image?.content ?? null,
      image_media_type: image?.mediaType ?? null,
      note: null,
      changed_at: null,
      changed_by: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Bytes of the images of feedback that nobody has closed yet. */
export async function countImageBytes(database: Kysely<Tables>): Promise<number> {
  const { bytes } = await database
    .selectFrom('feedback')
    .select((on) => on.fn.coalesce(on.fn.sum<number | null>('image_bytes'), sql<number>`0::bigint`).as('bytes'))
    .where('image_bytes', 'is not', null)
    .where('state', 'in', ['OPEN', 'IN_PROGRESS'])
    .executeTakeFirstOrThrow();
  return bytes;
}

/** A page of the feedback of one state or of all, the newest first, and how much there is in all. */
export async function findFeedback(
  database: Kysely<Tables>,
  { state, skip, limit }: { state: FeedbackState | undefined; skip: number; limit: number },
): Promise<{ feedback: Feedback[]; total: number }> {
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
export async function getFeedback(database: Kysely<Tables>, id: number): Promise<Feedback> {
  const row = await database
    .selectFrom('feedback')
    .select([...columns, hasImage])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound(id);
  return row;
}

/** Throws FEEDBACK_NOT_FOUND, also for feedback without an image. */
export async function getFeedbackImage(database: Kysely<Tables>, id: number): Promise<FeedbackImage> {
  const row = await database
    .selectFrom('feedback')
    .select(['image', 'image_media_type'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound(id);
  const { image, image_media_type: mediaType } = row;
  if (!image || !mediaType) throw new ServiceError('FEEDBACK_NOT_FOUND', `Feedback ${id} has no image.`);
  return { mediaType, content: image };
}

/** Sets the state, and the note where one is given (an empty one is none). Throws FEEDBACK_NOT_FOUND. */
export async function updateFeedback(
  database: Kysely<Tables>,
  id: number,
  { state, note, accountId }: { state: FeedbackState; note: string | undefined; accountId: string },
): Promise<Feedback> {
  const row = await database
    .updateTable('feedback')
    .set({
      state,
      changed_at: sql`now()`,
      changed_by: accountId,
      ...(note === undefined ? {} : { note: note === '' ? null : note }),
    })
    .where('id', '=', id)
    .returning([...columns, hasImage])
    .executeTakeFirst();
  if (!row) throw notFound(id);
  return row;
}
