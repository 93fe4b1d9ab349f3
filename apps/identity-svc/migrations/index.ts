import type { Migrations } from '@esd/service/database/migrate';
import * as accounts from './0001_accounts.ts';

export const migrations: Migrations = { '0001_accounts': accounts };
