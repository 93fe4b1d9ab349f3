import type { Migrations } from '@esd/service/migrate';
import * as accountsAndSessions from './0001_accounts_and_sessions.ts';

/** The steps of the schema of identity-svc. */
export const migrations: Migrations = {
  '0001_accounts_and_sessions': accountsAndSessions,
};
