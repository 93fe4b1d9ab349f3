import { jetstreamManager, type JetStreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';

/** The JetStream stream that holds all events. */
export const STREAM = 'ESD';

/** Subjects of the events; what a process may publish is also written in its NATS permissions. */
export const SUBJECTS = {
  recordApproved: 'esd.record.approved.v1',
  recordReviewed: 'esd.record.reviewed.v1',
  accountDeleted: 'esd.account.deleted.v1',
  snapshotFrozen: 'esd.snapshot.frozen.v1',
} as const;

const DUPLICATE_WINDOW_NS = 120_000_000_000;

/** Where the events that `consumer` could not decode are kept. */
export function deadLetterSubject(consumer: string): string {
  return `esd.dead.${consumer}`;
}

/** Creates the stream when it is not there yet; the outbox tables stay the record from which it can be filled again. */
export async function ensureStream(connection: NatsConnection): Promise<JetStreamManager> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  await manager.streams.add({
    name: STREAM,
    subjects: ['esd.record.*.v1', 'esd.snapshot.*.v1', 'esd.account.*.v1', 'esd.dead.*'],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    duplicate_window: DUPLICATE_WINDOW_NS,
  });
  return manager;
}
