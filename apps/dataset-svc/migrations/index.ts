import type { Migrations } from '@esd/service/database/migrate';
import * as dataset from './0001_dataset.ts';

export const migrations: Migrations = { '0001_dataset': dataset };
