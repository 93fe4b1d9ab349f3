import type { Caller } from '@esd/service/assertion';
import type { ClientKey } from '@esd/service/client';
import { ServiceError } from '@esd/service/errors';
import { type FairQueue, fairQueue } from '@esd/service/fair-queue';
import type { Kysely } from 'kysely';
import { networkOf, type OriginsOf } from '../origin/origin.ts';
import type { Tables } from '../tables.ts';
import { countFeedback, type FeedbackUse, insertFeedback, type NewFeedback, type Sender } from './feedback.store.ts';

const LONGEST = { name: 200, category: 60, subject: 200, message: 10_000 } as const;
const LARGEST_IMAGE = 5 * 1024 * 1024;
/** Of the room for images a sender has a twentieth, and all without an account have a half. */
const SENDER_PART = 20;
const ANONYMOUS_PART = 2;
/** Feedback without an account that is not closed: 300 MB of the longest messages. */
const MAX_ANONYMOUS = 10_000;
const DAY_MS = 86_400_000;
// How soon administrators close something, nobody knows.
const RETRY_SECONDS = 3_600;

/** What bounds feedback. */
export interface FeedbackLimits {
  originsOf: OriginsOf;
  /** Of the images of feedback that is not closed, in all. */
  imageBytes: number;
  /** How many feedbacks one sender may send within 24 hours. */
  daily: number;
  queue: FairQueue;
}

/** Who sends feedback. */
export interface FromWhom {
  caller: Caller | undefined;
  clientIp: string | undefined;
  client: ClientKey;
  signal: AbortSignal;
}

/** The queue of feedback that is stored, so that the connections that all share never wait for each other's senders. */
export function feedbackQueue(): FairQueue {
  return fairQueue({ name: 'feedbacks', concurrency: 2, maxWaiting: 50, retryAfterSeconds: 5 });
}

/**
 * Stores feedback of anybody, and returns its id. A sender is an account, else a network. Throws INVALID_PARAMETER for
 * texts that are too long or no message, PAYLOAD_TOO_LARGE for an image that is too large or that there is no room for,
 * RATE_LIMITED beyond the sender's share, and UNAVAILABLE where too much without an account is not closed.
 */
export async function submitFeedback(
  database: Kysely<Tables>,
  feedback: NewFeedback,
  { caller, clientIp, client, signal }: FromWhom,
  limits: FeedbackLimits,
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
  const who = caller ? `account ${caller.accountId}` : networkOf(clientIp);
  const sender = { origins: limits.originsOf(who), signedIn: caller !== undefined };
  return limits.queue.run({ client, signal }, () =>
    database.transaction().execute(async (transaction) => {
      refuseBeyond(limits, await countFeedback(transaction, sender), sender, image?.content.length ?? 0);
      return insertFeedback(transaction, feedback, sender);
    }),
  );
}

function refuseBeyond(limits: FeedbackLimits, use: FeedbackUse, { signedIn }: Sender, bytes: number): void {
  if (use.ownOfDay >= limits.daily) {
    const againMs = (use.ownSince?.getTime() ?? Date.now()) + DAY_MS - Date.now();
    throw new ServiceError(
      'RATE_LIMITED',
      `${use.ownOfDay} feedbacks came from you or your network within 24 hours, and ${limits.daily} may: try again later.`,
      undefined,
      Math.max(1, Math.ceil(againMs / 1000)),
    );
  }
  if (!signedIn && use.anonymous >= MAX_ANONYMOUS) {
    throw new ServiceError(
      'UNAVAILABLE',
      'Too much feedback awaits the administrators: sign in to send yours, or try again later.',
      undefined,
      RETRY_SECONDS,
    );
  }
  if (bytes === 0) return;
  const share = Math.max(limits.imageBytes / SENDER_PART, LARGEST_IMAGE);
  if (use.ownImageBytes + bytes > share) {
    throw new ServiceError(
      'RATE_LIMITED',
      `Images in feedback from you or your network that is not closed take ${use.ownImageBytes} bytes, and ${share} may be taken: send the feedback without its image of ${bytes} bytes.`,
      undefined,
      RETRY_SECONDS,
    );
  }
  // Senders wait for themselves only: of several at once a few may pass, each of at most 5 MB.
  const isFull = use.imageBytes + bytes > limits.imageBytes;
  if (isFull || (!signedIn && use.anonymousImageBytes + bytes > limits.imageBytes / ANONYMOUS_PART)) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `There is no room for more images ${isFull ? '' : 'without an account '}at the moment; send the feedback without one.`,
    );
  }
}
