import type { QueueKind } from '@esd/record/status/queue-kinds';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { unreadMessages } from '../messages/unread.store.ts';
import type { Tables } from '../tables.ts';

export type QueueCounts = Readonly<Record<QueueKind, number>>;

/** Returns the SQL conditions on `record` for each kind. Submissions of a kind contain such a record. */
export function kindConditions(database: Kysely<Tables>): Readonly<Record<QueueKind, RawBuilder<boolean>>> {
  const answered = unreadMessages(database).select('message.record_id').where('message.from_owner', '=', true);
  return {
    all: sql`true`,
    new: sql`record.published_revision is null`,
    corrections: sql`record.published_revision is not null`,
    answered: sql`record.id in (${answered})`,
    // The index of revisions with warnings has the same condition.
    warnings: sql`exists (
      select from record_revision as warned
      where warned.record_id = record.id and warned.revision = record.revision and json_array_length(warned.warnings) > 0
    )`,
    anonymous: sql`record.owner_account_id is null`,
  };
}
