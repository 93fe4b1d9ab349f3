import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import type { TestStack } from '@esd/testing/stack';

const STREAM = 'ESD';
const SUBJECT = 'esd.record.approved.v1';

/** A client of the event stream with the rights of submission-svc. */
export interface EventStream {
  /** Publishes bytes as `record.approved`; a message id makes JetStream drop repetitions within two minutes. */
  publish(body: Uint8Array, messageId?: string): Promise<void>;
  /** The bodies of the events that dataset-svc could not decode. */
  deadLetters(): Promise<Uint8Array[]>;
  close(): Promise<void>;
}

/** Opens the event stream of a stack as submission-svc does. */
export async function openEventStream(stack: TestStack): Promise<EventStream> {
  const { user, password } = stack.nats.user('submission-svc');
  const connection = await connect({ servers: stack.nats.url, user, pass: password });
  const client = jetstream(connection);
  return {
    publish: async (body, messageId) => {
      await client.publish(SUBJECT, body, messageId === undefined ? {} : { msgID: messageId });
    },
    deadLetters: async () => {
      const manager = await jetstreamManager(connection, { checkAPI: false });
      const { name } = await manager.consumers.add(STREAM, {
        durable_name: `reader-${Date.now()}`,
        filter_subject: 'esd.dead.dataset-svc-record-approved',
        ack_policy: AckPolicy.None,
        inactive_threshold: 60_000_000_000,
      });
      const consumer = await client.consumers.get(STREAM, name);
      const bodies: Uint8Array[] = [];
      for await (const message of await consumer.fetch({ max_messages: 100, expires: 1_000 }))
        bodies.push(message.data);
      return bodies;
    },
    close: () => connection.close(),
  };
}

/** The body of an event that makes a record public. */
export function recordApproved(recordId: number, recordRevision: number, record: object = {}): Uint8Array {
  return RecordApproved.encode({
    recordId,
    recordRevision,
    recordJson: Buffer.from(JSON.stringify({ recordId, experimentId: recordId, ...record })),
    approvedAt: new Date(),
  }).finish();
}
