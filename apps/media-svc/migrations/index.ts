import type { Migrations } from '@esd/service/database/migrate';
import * as media from './0001_media.ts';
import * as stretchedContrast from './0002_stretched_contrast.ts';

export const migrations: Migrations = { '0001_media': media, '0002_stretched_contrast': stretchedContrast };
