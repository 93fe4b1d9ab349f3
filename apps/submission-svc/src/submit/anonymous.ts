import { lockUntilCommit } from '@esd/background/advisory-lock';
import { ServiceError } from '@esd/service/errors';
import type { Kysely, Transaction } from 'kysely';
import { networkOf, type OriginsOf } from '../origin/origin.ts';
import type { Tables } from '../tables.ts';

const MAX_RECORDS = 50;
// When moderators decide is not known.
const RETRY_SECONDS = 3_600;
const WITH_TOKEN = 'with an account and its personal access token (POST /auth/tokens)';

/** The limits of submissions without an account. */
export interface AnonymousLimits {
  originsOf: OriginsOf;
  /** Records of one network that may await review. */
  maxPending: number;
}

/** Throws PAYLOAD_TOO_LARGE for a body, as `JSON.parse` made it, with more records than are taken without an account. */
export function refuseMany(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('experimentData' in body)) return;
  const { experimentData } = body;
  if (!Array.isArray(experimentData) || experimentData.length <= MAX_RECORDS) return;
  throw new ServiceError(
    'PAYLOAD_TOO_LARGE',
    `Without an account a submission may have ${MAX_RECORDS} records, this one has ${experimentData.length}; split it, or submit ${WITH_TOKEN}, which lifts this limit.`,
  );
}

/** Throws RATE_LIMITED where not even one record of the network would be taken; admitAnonymous has the last word. */
export async function refuseFullNetwork(
  database: Kysely<Tables>,
  limits: AnonymousLimits,
  clientIp: string | undefined,
): Promise<void> {
  await refuseBeyond(database, limits, limits.originsOf(networkOf(clientIp)), 1);
}

/**
 * The origin that new records of a network take. No other ones of that network are counted or stored until the
 * transaction ends; to be called before ids are taken. Throws RATE_LIMITED where too many would await review.
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
    `${pending} records from your network without an account await review; at most ${maxPending} may, so ${left} more are accepted now. Try again when moderators have decided, or submit ${WITH_TOKEN}.`,
    undefined,
    RETRY_SECONDS,
  );
}
