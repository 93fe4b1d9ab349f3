import { type Kysely, sql } from 'kysely';
import type { Logger } from '@esd/service/log';
import type { IdentityTables } from '../tables.ts';
import { FORGET_MINUTES } from './login-guard.ts';

const EVERY_MINUTES = 10;
const KNOWN_DAYS = 90;

/** Removes counts that have lapsed, and places from where nobody has logged in for 90 days. */
export async function forgetGuesses(database: Kysely<IdentityTables>): Promise<void> {
  await database
    .deleteFrom('login_guess')
    .where('last_at', '<', sql<Date>`now() - make_interval(mins => ${FORGET_MINUTES}::int)`)
    .execute();
  await database
    .deleteFrom('known_login_place')
    .where('last_at', '<', sql<Date>`now() - make_interval(days => ${KNOWN_DAYS}::int)`)
    .execute();
}

/** Does so every 10 minutes, until it is stopped. */
export function startForgettingGuesses(database: Kysely<IdentityTables>, log: Logger): () => Promise<void> {
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = forgetGuesses(database).catch((err: unknown) => {
      log.warn({ err }, 'old counts of wrong passwords could not be removed; they will be later');
    });
  }, EVERY_MINUTES * 60_000);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
