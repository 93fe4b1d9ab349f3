import { createHash } from 'node:crypto';
import { ALLOWANCES } from '@esd/api/allowances';
import { type Kysely, sql, type Transaction } from 'kysely';
import { addressBlock } from '@esd/service/quota-client';
import { ServiceError } from '@esd/service/errors';
import { counter } from '@esd/service/health/metrics';
import type { IdentityTables } from '../tables.ts';

/**
 * Throttles password guessing with three counters (see docs/accounts.md), which all replicas share. A wrong password is
 * counted after its check, so concurrent guesses can exceed the limits.
 */
export interface LoginThrottle {
  /** Throws RATE_LIMITED with the remaining wait, during which no password for this email address is checked. */
  check(email: string, clientIp: string | undefined): Promise<void>;
  /** Counts a wrong password, also for an unknown account. */
  recordFailure(email: string, clientIp: string | undefined): Promise<void>;
  /**
   * Resets the counters of an email address and makes the client address known. From then on, only
   * guesses from the same address delay logins from it.
   */
  recordSuccess(
    transaction: Transaction<IdentityTables>,
    account: { accountId: string; email: string },
    clientIp: string | undefined,
  ): Promise<void>;
}

interface Rule {
  /** The number of consecutive wrong passwords that cause no wait. */
  free: number;
  longestSeconds: number;
}

const { guesses } = ALLOWANCES;

/**
 * The limits of each counter. `pair`: one email address from one client address. `address`: one email address from
 * all client addresses. `client`: all email addresses from one client address.
 */
const RULES = {
  pair: { free: guesses.pair.amount, longestSeconds: guesses.pairWait.amount },
  address: { free: guesses.address.amount, longestSeconds: guesses.wait.amount },
  client: { free: guesses.client.amount, longestSeconds: guesses.wait.amount },
} as const satisfies Record<string, Rule>;

/** The time without a wrong password after which a counter is reset. */
const FORGET_MINUTES = 60;
export const KNOWN_ADDRESS_DAYS = 90;

interface Count {
  wrong: number;
  quietSeconds: number;
}

/** Returns the remaining wait in seconds: 1, 2, 4 … after the free attempts. */
export function waitSeconds({ free, longestSeconds }: Rule, { wrong, quietSeconds }: Count): number {
  if (wrong < free || quietSeconds >= FORGET_MINUTES * 60) return 0;
  return Math.max(0, Math.min(longestSeconds, 2 ** (wrong - free)) - quietSeconds);
}

/** `email`: the normalized address (see `normalizeEmail`), or the entered text if it is not an email address. */
export function loginThrottle(database: Kysely<IdentityTables>): LoginThrottle {
  return {
    check: async (email, clientIp) => {
      const keys = keysOf(email, clientIp);
      const counts = await database
        .selectFrom('login_guess')
        .select((guess) => [
          'key',
          'wrong',
          sql<number>`extract(epoch from now() - last_at)::float8`.as('quietSeconds'),
          guess.exists(knownClientAddress(database, email, clientIp)).as('known'),
        ])
        .where('key', 'in', [...keys.values()])
        .execute();
      const waits = [...keys].map(([kind, key]) => {
        const count = counts.find((one) => one.key.equals(key));
        const isThrottled = count !== undefined && (kind === 'pair' || !count.known);
        return isThrottled ? waitSeconds(RULES[kind], count) : 0;
      });
      const seconds = Math.ceil(Math.max(...waits));
      if (seconds === 0) return;
      counter('esd_sign_ins_total').inc({ result: 'throttled' });
      const message = `Too many wrong passwords; try again in ${seconds} s, or reset the password by email.`;
      throw new ServiceError('RATE_LIMITED', message, { retryAfterSeconds: seconds });
    },
    recordFailure: async (email, clientIp) => {
      await database
        .insertInto('login_guess')
        // Sorted, so that two concurrent calls cannot deadlock.
        .values([...keysOf(email, clientIp).values()].sort(Buffer.compare).map((key) => ({ key, wrong: 1 })))
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet({
            wrong: sql`
              case when login_guess.last_at < now() - make_interval(mins => ${FORGET_MINUTES}::int)
                then 1 else least(login_guess.wrong, 1000) + 1 end`,
            last_at: sql`now()`,
          }),
        )
        .execute();
    },
    recordSuccess: async (transaction, { accountId, email }, clientIp) => {
      const keys = keysOf(email, clientIp);
      // The `client` counter remains: a login to one account must not reset the count of guesses at other accounts.
      keys.delete('client');
      await transaction
        .deleteFrom('login_guess')
        .where('key', 'in', (of) =>
          of
            .selectFrom('login_guess')
            .select('key')
            .where('key', 'in', [...keys.values()])
            .orderBy('key')
            .forUpdate(),
        )
        .execute();
      if (clientIp === undefined) return;
      await transaction
        .insertInto('known_login_network')
        .values({ account_id: accountId, network_hash: clientAddressHash(email, clientIp) })
        .onConflict((conflict) => conflict.column('network_hash').doUpdateSet({ last_at: sql`now()` }))
        .execute();
    },
  };
}

export async function isKnownClientAddress(
  database: Kysely<IdentityTables>,
  email: string,
  clientIp: string,
): Promise<boolean> {
  return (await knownClientAddress(database, email, clientIp).executeTakeFirst()) !== undefined;
}

/** Deletes expired counters, and client addresses without a login for 90 days. */
export async function deleteLapsedCounts(database: Kysely<IdentityTables>): Promise<void> {
  await database
    .deleteFrom('login_guess')
    .where('last_at', '<', sql<Date>`now() - make_interval(mins => ${FORGET_MINUTES}::int)`)
    .execute();
  await database
    .deleteFrom('known_login_network')
    .where('last_at', '<', sql<Date>`now() - make_interval(days => ${KNOWN_ADDRESS_DAYS}::int)`)
    .execute();
}

function knownClientAddress(database: Kysely<IdentityTables>, email: string, clientIp: string | undefined) {
  return database
    .selectFrom('known_login_network')
    .select('account_id')
    .where('network_hash', '=', clientAddressHash(email, clientIp ?? ''));
}

function keysOf(email: string, clientIp: string | undefined): Map<keyof typeof RULES, Buffer> {
  const keys = new Map<keyof typeof RULES, Buffer>([['address', digest('address', email)]]);
  if (clientIp !== undefined) {
    const client = addressBlock(clientIp);
    keys.set('pair', digest('pair', email, client)).set('client', digest('client', client));
  }
  return keys;
}

function clientAddressHash(email: string, clientIp: string): Buffer {
  return digest('place', email, addressBlock(clientIp));
}

function digest(...parts: string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
