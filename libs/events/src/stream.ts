import {
  JetStreamApiError,
  jetstreamManager,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { ConsumerName } from '@esd/service/names/consumers';

/** The JetStream stream of all events. */
export const STREAM = 'ESD';

/** The subjects of the events. The NATS permissions define which of them each process may publish. */
export const SUBJECTS = {
  recordApproved: 'esd.record.approved.v1',
  recordWithdrawn: 'esd.record.withdrawn.v1',
  recordMessage: 'esd.record.message.v1',
  recordReviewed: 'esd.record.reviewed.v1',
  accountDeleted: 'esd.account.deleted.v1',
  snapshotFrozen: 'esd.snapshot.frozen.v1',
} as const;

/**
 * The durable consumers of the events. submission-svc purges an event only after all of its durables have acknowledged it,
 * also those that do not exist yet because their service has never started.
 */
export const DURABLES = {
  datasetRecordApproved: { durable: 'dataset-svc-record-approved', subject: SUBJECTS.recordApproved },
  datasetRecordWithdrawn: { durable: 'dataset-svc-record-withdrawn', subject: SUBJECTS.recordWithdrawn },
  mediaRecordApproved: { durable: 'media-svc-record-approved', subject: SUBJECTS.recordApproved },
  identityRecordReviewed: { durable: 'identity-svc-record-reviewed', subject: SUBJECTS.recordReviewed },
  identityRecordMessage: { durable: 'identity-svc-record-message', subject: SUBJECTS.recordMessage },
  datasetSnapshotFrozen: { durable: 'dataset-svc-snapshot-frozen', subject: SUBJECTS.snapshotFrozen },
  datasetAccountDeleted: { durable: 'dataset-svc-account-deleted', subject: SUBJECTS.accountDeleted },
  submissionAccountDeleted: { durable: 'submission-svc-account-deleted', subject: SUBJECTS.accountDeleted },
} as const satisfies Record<string, { durable: ConsumerName; subject: string }>;

const DUPLICATE_WINDOW_NS = 120_000_000_000;

const OTHER_CONFIGURATION = 10_058;

/** The header of a dead letter with the error of its decoder. */
export const DEAD_LETTER_ERROR = 'Esd-Error';

/** Returns the subject of the dead letters of `consumer`. */
export function deadLetterSubject(consumer: string): string {
  return `esd.dead.${consumer}`;
}

/** Returns the durable that redrives the dead letters of `consumer`. */
export function redriveDurable(consumer: string): string {
  return `${consumer}-dead`;
}

/**
 * Creates the stream with this number of replicas if it does not exist; the outbox tables can fill it again. Leaves an
 * existing stream unchanged, even if an operator has reconfigured it. Consumers have as many replicas as the stream.
 */
export async function ensureStream(connection: NatsConnection, replicas = 1): Promise<JetStreamManager> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  try {
    await manager.streams.add({
      name: STREAM,
      subjects: ['esd.record.*.v1', 'esd.snapshot.*.v1', 'esd.account.*.v1', 'esd.dead.*'],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      num_replicas: replicas,
      duplicate_window: DUPLICATE_WINDOW_NS,
    });
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === OTHER_CONFIGURATION)) throw error;
  }
  return manager;
}
