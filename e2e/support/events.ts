import { jetstream } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { inboxPrefix } from '@esd/events/nats';
import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import type { TestStack } from '@esd/testing/stack';
import { query } from './database.ts';
import { eventually } from '@esd/testing/eventually';

const STREAM = 'ESD';
const SUBJECT = 'esd.record.approved.v1';

/** Connects to the NATS server of a stack with the permissions of a service. */
export function connectNats(stack: TestStack, service: string): Promise<NatsConnection> {
  const { user, password } = stack.nats.user(service);
  return connect({ servers: stack.nats.url, user, pass: password, inboxPrefix: inboxPrefix(user) });
}

/**
 * Waits until submission-svc has marked all due events as published, which it does after consumers received them. Mails about bulk
 * decisions are due after 60 s.
 */
export async function allPublished(stack: TestStack): Promise<void> {
  const waiting = 'select from outbox where published_at is null and created_at <= now()';
  await eventually(
    () => query(stack.databaseUrl('esd_submission'), waiting),
    (rows) => rows.length === 0,
  );
}

/** A client of the event stream with the permissions of submission-svc. */
export interface EventStream {
  /** Publishes bytes as `record.approved`. JetStream drops a repeated message id within two minutes. */
  publish(body: Uint8Array, messageId?: string): Promise<void>;
  /** Returns the bodies of the events that dataset-svc could not decode. */
  deadLetters(): Promise<Uint8Array[]>;
  close(): Promise<void>;
}

/** Opens the event stream of a stack as submission-svc. */
export async function openEventStream(stack: TestStack): Promise<EventStream> {
  const connection = await connectNats(stack, 'submission-svc');
  return {
    publish: async (body, messageId) => {
      await jetstream(connection).publish(SUBJECT, body, messageId === undefined ? {} : { msgID: messageId });
    },
    deadLetters: async () => {
      const owner = await connectNats(stack, 'dataset-svc');
      try {
        const consumer = await jetstream(owner).consumers.get(STREAM, 'dataset-svc-record-approved-dead');
        const messages = [];
        for await (const message of await consumer.fetch({ max_messages: 100, expires: 1_000 })) messages.push(message);
        // Returned to the stream after the fetch; an earlier return would deliver them again in the same fetch.
        for (const message of messages) message.nak();
        await owner.flush();
        return messages.map(({ data }) => data);
      } finally {
        await owner.close();
      }
    },
    close: () => connection.close(),
  };
}

/** Returns the body of an event that publishes a record. */
export function recordApproved(recordId: number, recordRevision: number, record: object = {}): Uint8Array {
  return RecordApproved.encode({
    recordId,
    recordRevision,
    recordJson: Buffer.from(JSON.stringify({ recordId, experimentId: recordId, ...record })),
    approvedAt: new Date(),
  }).finish();
}
