import type { ConsumerInfo, JetStreamManager, StoredMsg } from '@nats-io/jetstream';
import { STREAM } from '@esd/events/stream';

export async function listConsumers(manager: JetStreamManager): Promise<ConsumerInfo[]> {
  const consumers: ConsumerInfo[] = [];
  for await (const consumer of manager.consumers.list(STREAM)) consumers.push(consumer);
  return consumers;
}

/** Returns the first message of a subject at or after a sequence, if any. */
export function nextMessage(manager: JetStreamManager, subject: string, seq: number): Promise<StoredMsg | null> {
  // Not in the types of the client.
  const query = { seq, next_by_subj: subject };
  return manager.streams.getMessage(STREAM, query);
}

export function named(consumers: readonly ConsumerInfo[], durable: string): ConsumerInfo | undefined {
  return consumers.find(({ config }) => config.durable_name === durable);
}
