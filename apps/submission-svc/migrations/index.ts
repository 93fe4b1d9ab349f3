import type { Migrations } from '@esd/service/database/migrate';
import * as submissions from './0001_submissions.ts';
import * as outbox from './0002_outbox.ts';
import * as updates from './0003_updates.ts';
import * as moderation from './0004_moderation.ts';
import * as feedback from './0005_feedback.ts';
import * as images from './0006_images.ts';
import * as takeIds from './0007_take_ids.ts';
import * as limits from './0008_limits.ts';
import * as withdrawals from './0009_withdrawals.ts';
import * as messages from './0010_messages.ts';
import * as ownActs from './0011_own_acts.ts';
import * as outboxTimes from './0012_outbox_times.ts';
import * as outboxTraceparent from './0013_outbox_traceparent.ts';
import * as readMarks from './0014_read_marks.ts';
import * as warnedRevisions from './0015_warned_revisions.ts';
import * as queueCounts from './0016_queue_counts.ts';
import * as decisions from './0017_decisions.ts';

export const migrations: Migrations = {
  '0001_submissions': submissions,
  '0002_outbox': outbox,
  '0003_updates': updates,
  '0004_moderation': moderation,
  '0005_feedback': feedback,
  '0006_images': images,
  '0007_take_ids': takeIds,
  '0008_limits': limits,
  '0009_withdrawals': withdrawals,
  '0010_messages': messages,
  '0011_own_acts': ownActs,
  '0012_outbox_times': outboxTimes,
  '0013_outbox_traceparent': outboxTraceparent,
  '0014_read_marks': readMarks,
  '0015_warned_revisions': warnedRevisions,
  '0016_queue_counts': queueCounts,
  '0017_decisions': decisions,
};
