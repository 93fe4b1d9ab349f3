import { createHash, randomBytes } from 'node:crypto';
import { ALLOWANCES } from '@esd/api/allowances';
import { clientAt, clientOf } from '@esd/service/quota-client';
import { NETWORK_SHARES } from '@esd/service/client-shares';
import { ServiceError } from '@esd/service/errors';
import type { CallContext } from '@esd/service/rpc/rpc-server';
import { sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

export type QueryMaker = Pick<CallContext, 'caller' | 'clientIp'>;

const { queries, accountQueries, storedQueries } = ALLOWANCES.anonymous;
const SALT_BYTES = 16;
const DAY_SECONDS = 86_400;

/** Counts a new query. Throws RATE_LIMITED at the limit of the client, its IPv6 network, or all clients without an account. */
export async function countQuery(transaction: Transaction<Tables>, maker: QueryMaker): Promise<void> {
  const daily = (maker.caller ? accountQueries : queries).amount;
  if (!maker.caller) await refuseWhenFull(transaction);
  const { day, salt } = await today(transaction);
  await count(transaction, day, salt, clientOf(maker), daily);
  const network = maker.caller ? undefined : clientAt(maker.clientIp ?? '').network;
  if (network !== undefined) await count(transaction, day, salt, `network ${network}`, daily * NETWORK_SHARES);
}

async function refuseWhenFull(transaction: Transaction<Tables>): Promise<void> {
  const { total } = await transaction
    .selectFrom('query')
    .select((on) => on.fn.countAll<number>().as('total'))
    .where('by_account', '=', false)
    .executeTakeFirstOrThrow();
  // The count includes the new query.
  if (total <= storedQueries.amount) return;
  throw refusal(`The limit of ${storedQueries.amount} queries without an account is reached. Sign in to create one.`);
}

async function today(transaction: Transaction<Tables>): Promise<{ day: string; salt: Buffer }> {
  const day = new Date().toISOString().slice(0, 10);
  await transaction
    .insertInto('query_day')
    .values({ day, salt: randomBytes(SALT_BYTES) })
    .onConflict((on) => on.doNothing())
    .execute();
  await transaction.deleteFrom('query_day').where('day', '<', day).execute();
  const { salt } = await transaction
    .selectFrom('query_day')
    .select('salt')
    .where('day', '=', day)
    .executeTakeFirstOrThrow();
  return { day, salt };
}

async function count(
  transaction: Transaction<Tables>,
  day: string,
  salt: Buffer,
  name: string,
  limit: number,
): Promise<void> {
  const clientHash = createHash('sha256').update(salt).update(name).digest();
  const counted = await transaction
    .insertInto('query_client')
    .values({ day, client: clientHash, queries: 1 })
    .onConflict((on) =>
      on
        .columns(['day', 'client'])
        .doUpdateSet({ queries: sql<number>`query_client.queries + 1` })
        .where('query_client.queries', '<', limit),
    )
    .returning('queries')
    .executeTakeFirst();
  if (counted) return;
  const client = name.startsWith('account')
    ? 'An account'
    : name.startsWith('network')
      ? 'An IPv6 network (/48)'
      : 'A client';
  throw refusal(
    `${client} can create ${limit} new queries a day. Try again tomorrow (UTC)${limit < accountQueries.amount ? ' or sign in' : ''}.`,
  );
}

function refusal(message: string): ServiceError {
  const left = DAY_SECONDS - (Math.floor(Date.now() / 1000) % DAY_SECONDS);
  return new ServiceError('RATE_LIMITED', message, { retryAfterSeconds: left });
}
