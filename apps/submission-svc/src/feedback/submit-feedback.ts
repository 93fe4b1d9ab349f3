import { ALLOWANCES } from '@esd/api/allowances';
import type { Caller } from '@esd/service/auth/caller-assertion';
import type { ClientKey } from '@esd/service/quota-client';
import { ServiceError } from '@esd/service/errors';
import { type FairQueue, fairQueue } from '@esd/background/fair-queue';
import type { Kysely } from 'kysely';
import { networkOf, type OriginsOf } from '../origin/origin.ts';
import type { Tables } from '../tables.ts';
import { countFeedback, type FeedbackUse, insertFeedback, type NewFeedback, type Sender } from './feedback.store.ts';

const MAX_LENGTHS = { name: 200, category: 60, subject: 200, message: 10_000 } as const;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const { senderImages, anonymousImages, openFeedback } = ALLOWANCES.anonymous;
const DAY_MS = 86_400_000;
// Administrators close feedback at an unknown time.
const RETRY_SECONDS = 3_600;

export interface FeedbackLimits {
  originsOf: OriginsOf;
  /** Maximum total size of the images in open feedback. */
  imageBytes: number;
  daily: number;
  queue: FairQueue;
}

export interface FeedbackSource {
  caller: Caller | undefined;
  clientIp: string | undefined;
  client: ClientKey;
  signal: AbortSignal;
}

/** Creates the queue that keeps one sender from using all database connections. */
export function feedbackQueue(): FairQueue {
  return fairQueue({ queue: 'feedback' });
}

/**
 * Stores feedback and returns its id. A sender is an account, or else a network. Throws INVALID_PARAMETER for an empty
 * message or a text that is too long. Throws PAYLOAD_TOO_LARGE if the image is too large or the space for images is full.
 * Throws RATE_LIMITED beyond the limits of the sender, and UNAVAILABLE at the limit for senders without an account.
 */
export async function submitFeedback(
  database: Kysely<Tables>,
  feedback: NewFeedback,
  { caller, clientIp, client, signal }: FeedbackSource,
  limits: FeedbackLimits,
): Promise<number> {
  const { image } = feedback;
  for (const member of ['name', 'category', 'subject', 'message'] as const) {
    if (feedback[member].length <= MAX_LENGTHS[member]) continue;
    throw new ServiceError(
      'INVALID_PARAMETER',
      `\`${member}\` must have at most ${MAX_LENGTHS[member]} characters, got ${feedback[member].length}.`,
    );
  }
  if (feedback.message === '') throw new ServiceError('INVALID_PARAMETER', '`message` must not be empty.');
  if (image && image.content.length > MAX_IMAGE_BYTES) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `The image must have at most ${MAX_IMAGE_BYTES} bytes, got ${image.content.length}.`,
    );
  }
  const senderName = caller ? `account ${caller.accountId}` : networkOf(clientIp);
  const sender = { origins: limits.originsOf(senderName), signedIn: caller !== undefined };
  return limits.queue.run({ client, signal }, () =>
    database.transaction().execute(async (transaction) => {
      checkLimits(limits, await countFeedback(transaction, sender), sender, image?.content.length ?? 0);
      return insertFeedback(transaction, feedback, sender);
    }),
  );
}

function checkLimits(limits: FeedbackLimits, use: FeedbackUse, { signedIn }: Sender, bytes: number): void {
  if (use.ownOfDay >= limits.daily) {
    const againMs = (use.ownSince?.getTime() ?? Date.now()) + DAY_MS - Date.now();
    throw new ServiceError(
      'RATE_LIMITED',
      `You or your network sent ${use.ownOfDay} feedback messages within 24 hours (limit ${limits.daily}). Try again later.`,
      { retryAfterSeconds: Math.max(1, Math.ceil(againMs / 1000)) },
    );
  }
  if (!signedIn && use.anonymous >= openFeedback.amount) {
    throw new ServiceError(
      'UNAVAILABLE',
      'Too many messages from senders without an account are open. Sign in to send yours, or try again later.',
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }
  if (bytes === 0) return;
  const share = Math.max((limits.imageBytes * senderImages.amount) / 100, MAX_IMAGE_BYTES);
  if (use.ownImageBytes + bytes > share) {
    throw new ServiceError(
      'RATE_LIMITED',
      `Images in open feedback from you or your network use ${use.ownImageBytes} of ${share} bytes. Send the feedback without its image of ${bytes} bytes.`,
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }
  // Only the requests of one sender are serialized: concurrent senders may exceed the limit by 5 MB each.
  const isFull = use.imageBytes + bytes > limits.imageBytes;
  const anonymousBytes = (limits.imageBytes * anonymousImages.amount) / 100;
  if (isFull || (!signedIn && use.anonymousImageBytes + bytes > anonymousBytes)) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `The space for images ${isFull ? '' : 'from senders without an account '}is full. Send the feedback without an image.`,
    );
  }
}
