import { type Kysely, sql } from 'kysely';
import type { IdentityTables } from '../tables.ts';
import { FORGET_MINUTES } from './login-throttle.ts';

const KNOWN_DAYS = 90;

/** Removes counts that have lapsed, and places from where nobody has logged in for 90 days. */
export async function deleteLapsedCounts(database: Kysely<IdentityTables>): Promise<void> {
  await database
    .deleteFrom('login_guess')
    .where('last_at', '<', sql<Date>`now() - make_interval(mins => ${FORGET_MINUTES}::int)`)
    .execute();
  await database
    .deleteFrom('known_login_place')
    .where('last_at', '<', sql<Date>`now() - make_interval(days => ${KNOWN_DAYS}::int)`)
    .execute();
}
