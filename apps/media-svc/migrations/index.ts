import type { Migrations } from '@esd/service/database/migrate';
import * as images from './0001_images.ts';
import * as reservations from './0002_reservations.ts';
import * as imageAccount from './0003_image_account.ts';

export const migrations: Migrations = {
  '0001_images': images,
  '0002_reservations': reservations,
  '0003_image_account': imageAccount,
};
