import type { Migrations } from '@esd/service/database/migrate';
import * as files from './0001_files.ts';
import * as entityTags from './0002_entity_tags.ts';

export const migrations: Migrations = {
  '0001_files': files,
  '0002_entity_tags': entityTags,
};
