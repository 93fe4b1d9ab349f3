import type { Migrations } from '@esd/service/database/migrate';
import * as media from './0001_media.ts';

export const migrations: Migrations = { '0001_media': media };
