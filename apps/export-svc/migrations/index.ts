import type { Migrations } from '@esd/service/database/migrate';
import * as exports from './0001_exports.ts';

export const migrations: Migrations = { '0001_exports': exports };
