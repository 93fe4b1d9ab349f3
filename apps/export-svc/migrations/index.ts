import type { Migrations } from '@esd/service/database/migrate';
import * as files from './0001_files.ts';
import * as entityTags from './0002_entity_tags.ts';
import * as usageByDay from './0003_usage_by_day.ts';
import * as stableFiles from './0004_stable_files.ts';
import * as freezeJobRelease from './0005_freeze_job_release.ts';
import * as outboxTraceparent from './0006_outbox_traceparent.ts';

export const migrations: Migrations = {
  '0001_files': files,
  '0002_entity_tags': entityTags,
  '0003_usage_by_day': usageByDay,
  '0004_stable_files': stableFiles,
  '0005_freeze_job_release': freezeJobRelease,
  '0006_outbox_traceparent': outboxTraceparent,
};
