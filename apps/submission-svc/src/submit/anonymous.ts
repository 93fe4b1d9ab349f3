import { lockUntilCommit } from '@esd/background/advisory-lock';
import { MAX_ANONYMOUS_RECORDS } from '@esd/record/submission-size';
import { ServiceError } from '@esd/service/errors';
import type { Kysely, Transaction } from 'kysely';
import { networkOf, type OriginsOf } from '../origin/origin.ts';
import type { Tables } from '../tables.ts';

// Moderators decide at an unknown time.
const RETRY_SECONDS = 3_600;
const WITH_TOKEN = 'with an account and its personal access token (POST /auth/tokens)';

export interface AnonymousLimits {
  originsOf: OriginsOf;
  maxPending: number;
}

/** Throws PAYLOAD_TOO_LARGE for a parsed body with more records than are allowed without an account. */
export function refuseTooManyRecords(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('experimentData' in body)) return;
  const { experimentData } = body;
  if (!Array.isArray(experimentData) || experimentData.length <= MAX_ANONYMOUS_RECORDS) return;
  throw new ServiceError(
    'PAYLOAD_TOO_LARGE',
    `Without an account, a submission may have at most ${MAX_ANONYMOUS_RECORDS} records, got ${experimentData.length}. Split it, or submit ${WITH_TOKEN}, which lifts this limit.`,
  );
}

/** Throws RATE_LIMITED if the network cannot add a single record; admitAnonymous makes the final check. */
export async function refuseFullNetwork(
  database: Kysely<Tables>,
  limits: AnonymousLimits,
  clientIp: string | undefined,
): Promise<void> {
  await refuseBeyond(database, limits, limits.originsOf(networkOf(clientIp)), 1);
}

/**
 * Returns the origin for new records of a network. Serializes the submissions of the network until the transaction ends;
 * must be called before ids are taken. Throws RATE_LIMITED if too many records would await review.
 */
export async function admitAnonymous(
  transaction: Transaction<Tables>,
  limits: AnonymousLimits,
  { clientIp, records }: { clientIp: string | undefined; records: number },
): Promise<string> {
  const origins = limits.originsOf(networkOf(clientIp));
  await lockUntilCommit(transaction, `esd origin ${origins[0]}`);
  await refuseBeyond(transaction, limits, origins, records);
  return origins[0];
}

async function refuseBeyond(
  database: Kysely<Tables>,
  { maxPending }: AnonymousLimits,
  origins: readonly string[],
  records: number,
): Promise<void> {
  const { pending } = await database
    .selectFrom('record')
    .select((on) => on.fn.countAll<number>().as('pending'))
    .where('origin', 'in', origins)
    .where('status', '=', 'PENDING')
    .executeTakeFirstOrThrow();
  const left = Math.max(0, maxPending - pending);
  if (records <= left) return;
  throw new ServiceError(
    'RATE_LIMITED',
    `${pending} anonymous records from your network are awaiting review (limit ${maxPending}); ${left} more can be submitted. Try again when moderators have decided, or submit ${WITH_TOKEN}.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
