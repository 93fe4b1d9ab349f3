import type { ConsumerOptions } from '@esd/events/consumer';
import type { Nats } from '@esd/events/nats';
import { DURABLES } from '@esd/events/stream';
import type { Logger } from '@esd/service/health/log';
import type { Kysely } from 'kysely';
import { queueMessageMails, queueReviewMails } from './mail/queue-review-mails.ts';
import { decodeRecordMessage, type WrittenMessage } from './mail/record-message.event.ts';
import { decodeRecordReviewed, type ReviewedRecords } from './mail/record-reviewed.event.ts';
import type { IdentityTables } from './tables.ts';

/** Queues a mail to the owner of the records for each `record.reviewed`. */
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

/** Queues mails to the other participants in the thread for each `record.message`. */
export function recordMessagesConsumer(
  database: Kysely<IdentityTables>,
  nats: Nats,
  log: Logger,
): ConsumerOptions<WrittenMessage> {
  return {
    nats,
    ...DURABLES.identityRecordMessage,
    decode: decodeRecordMessage,
    handle: (events) => queueMessageMails(database, events),
    log,
  };
}
