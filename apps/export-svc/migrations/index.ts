import type { Migrations } from '@esd/service/migrate';
import * as files from './0001_files.ts';

export const migrations: Migrations = {
  '0001_files': files,
};
