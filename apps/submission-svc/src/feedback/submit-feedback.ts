import { ServiceError } from '@esd/service/errors';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { countImageBytes, insertFeedback, type NewFeedback } from './feedback.store.ts';

const LONGEST = { name: 200, category: 60, subject: 200, message: 10_000 } as const;
const LARGEST_IMAGE = 5 * 1024 * 1024;

/**
 * Stores feedback of anybody, and returns its id. Throws INVALID_PARAMETER for texts that are too long or no message, and
 * PAYLOAD_TOO_LARGE for an image that is too large or that there is no room for: images of feedback that is not closed
 * take at most `imageBytes` together.
 */
export async function submitFeedback(
  database: Kysely<Tables>,
  feedback: NewFeedback,
  imageBytes: number,
): Promise<number> {
  const { image } = feedback;
  for (const member of ['name', 'category', 'subject', 'message'] as const) {
    if (feedback[member].length <= LONGEST[member]) continue;
    throw new ServiceError('INVALID_PARAMETER', `${member} may have ${LONGEST[member]} characters.`);
  }
  if (feedback.message === '') throw new ServiceError('INVALID_PARAMETER', 'There is no message.');
  if (image && image.content.length > LARGEST_IMAGE) {
    throw new ServiceError('PAYLOAD_TOO_LARGE', `An image may have ${LARGEST_IMAGE} bytes.`);
  }
  // Without a lock: of several at once a few may pass, each of at most 5 MB.
  if (image && (await countImageBytes(database)) + image.content.length > imageBytes) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      'There is no room for more images at the moment; send the feedback without one.',
    );
  }
  return insertFeedback(database, feedback);
}
