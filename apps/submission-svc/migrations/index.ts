import type { Migrations } from '@esd/service/migrate';
import * as submissions from './0001_submissions.ts';
import * as outbox from './0002_outbox.ts';

export const migrations: Migrations = {
  '0001_submissions': submissions,
  '0002_outbox': outbox,
};
