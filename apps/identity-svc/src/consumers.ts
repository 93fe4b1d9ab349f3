import type { ConsumerOptions } from '@esd/events/consumer';
import type { Nats } from '@esd/events/nats';
import { DURABLES } from '@esd/events/stream';
import type { Logger } from '@esd/service/health/log';
import type { Kysely } from 'kysely';
import { queueReviewMails } from './mail/queue-review-mails.ts';
import { decodeRecordReviewed, type ReviewedRecords } from './mail/record-reviewed.event.ts';
import type { IdentityTables } from './tables.ts';

/** `record.reviewed` becomes a mail to the account of the records. */
export function reviewedRecordsConsumer(
  database: Kysely<IdentityTables>,
  nats: Nats,
  log: Logger,
): ConsumerOptions<ReviewedRecords> {
  return {
    nats,
    ...DURABLES.identityRecordReviewed,
    decode: decodeRecordReviewed,
    handle: (events) => queueReviewMails(database, events),
    log,
  };
}
