import type { Migrations } from '@esd/service/database/migrate';
import * as records from './0001_records.ts';

export const migrations: Migrations = { '0001_records': records };
