import { DURABLES } from '@esd/events/stream';
import type { EventStream } from '@esd/proto/esd/common/v1/status';
import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import type { RecordStatus } from '@esd/record/status/record-status';
import { ServiceError } from '@esd/service/errors';
import { unlessAborted } from '@esd/service/unless-aborted';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

export interface RecordPublication {
  recordId: number;
  revision: number;
  status: RecordStatus;
  decidedAt: Date | undefined;
  event: { id: string; writtenAt: Date; publishedAt: Date | undefined } | undefined;
  consumer: { name: string; waiting: number | undefined; deadLetters: number } | undefined;
}

const STREAM_MS = 1_500;

/**
 * Returns the newest decision on a record, its event, and the consumer of the event. `stream` returns the state of the
 * stream; if it fails or takes more than 1.5 s, `consumer` is undefined. Throws RECORD_NOT_FOUND.
 */
export async function findPublication(
  database: Kysely<Tables>,
  stream: () => Promise<EventStream>,
  recordId: number,
): Promise<RecordPublication> {
  const record = await database
    .selectFrom('record')
    .select(['id as recordId', 'revision', 'status'])
    .where('id', '=', recordId)
    .executeTakeFirst();
  if (!record) throw new ServiceError('RECORD_NOT_FOUND', `There is no record ${recordId}.`);
  const { revision, status } = record;
  if (status === 'PENDING' || status === 'NEEDS_UPDATE') {
    return { ...record, decidedAt: undefined, event: undefined, consumer: undefined };
  }
  const decision = await database
    .selectFrom('audit')
    .select(['id', 'at', 'action'])
    .where('record_id', '=', recordId)
    .where('record_revision', '=', revision)
    .where('action', 'in', ['approve', 'reject', 'withdraw'])
    .orderBy('id', 'desc')
    .executeTakeFirst();
  const published = decision && durableOf(decision.action);
  if (!published) return { ...record, decidedAt: decision?.at, event: undefined, consumer: undefined };
  const event = await findEvent(database, decision.id, published.subject, { recordId, revision });
  const { durable: name } = published;
  const state = await unlessAborted(stream(), AbortSignal.timeout(STREAM_MS)).catch(() => undefined);
  const consumer = state?.consumers.find((one) => one.name === name);
  return {
    ...record,
    decidedAt: decision.at,
    event,
    consumer: consumer && {
      name,
      waiting: consumer.waiting === undefined ? undefined : consumer.waiting + (consumer.unacknowledged ?? 0),
      deadLetters: consumer.deadLetters,
    },
  };
}

function durableOf(action: Tables['audit']['action']) {
  if (action === 'approve') return DURABLES.datasetRecordApproved;
  return action === 'withdraw' ? DURABLES.datasetRecordWithdrawn : undefined;
}

/** Finds the event that was written in the transaction of a decision. The body begins with the id and revision of the record. */
async function findEvent(
  database: Kysely<Tables>,
  auditId: number,
  subject: string,
  of: { recordId: number; revision: number },
): Promise<RecordPublication['event']> {
  const { recordId, revision: recordRevision } = of;
  // Both messages have the same first two fields.
  const start = RecordApproved.encode({ recordId, recordRevision, recordJson: Buffer.alloc(0), approvedAt: undefined });
  const prefix = Buffer.from(start.finish());
  const row = await database
    .selectFrom('audit')
    .innerJoin('outbox', 'outbox.created_at', 'audit.at')
    .select(['outbox.id', 'outbox.created_at as writtenAt', 'outbox.published_at as publishedAt'])
    .where('audit.id', '=', auditId)
    .where('outbox.subject', '=', subject)
    .where(sql<Buffer>`substring(outbox.body from 1 for ${prefix.length}::integer)`, '=', prefix)
    .executeTakeFirst();
  return row && { ...row, publishedAt: row.publishedAt ?? undefined };
}
