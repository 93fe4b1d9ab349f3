import type { Migrations } from '@esd/service/database/migrate';
import * as images from './0001_images.ts';

export const migrations: Migrations = { '0001_images': images };
