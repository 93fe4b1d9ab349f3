import { type ConsumerInfo, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import type { Nats } from '@esd/events/nats';
import { DEAD_LETTER_ERROR, deadLetterSubject, DURABLES, redriveDurable, STREAM } from '@esd/events/stream';
import type { ConsumerState, EventStream } from '@esd/proto/esd/common/v1/status';
import { gauge, type MeasuredGauges } from '@esd/service/health/metrics';
import { listConsumers, named, nextMessage } from './read-stream.ts';

const REQUEST_MS = 1_000;

/**
 * Returns the backlog of each durable consumer. Requires the NATS user that may purge. Waits for the first connection to
 * NATS. Throws the errors of the NATS client, even if the stream does not exist yet.
 */
export async function streamState(nats: Nats): Promise<EventStream> {
  const manager = await jetstreamManager(await nats.connected, { checkAPI: false, timeout: REQUEST_MS });
  const [{ state }, consumers] = await Promise.all([manager.streams.info(STREAM), listConsumers(manager)]);
  const states = Object.values(DURABLES).map(({ durable, subject }) =>
    consumerState(manager, consumers, durable, subject),
  );
  return { bytes: state.bytes, consumers: await Promise.all(states) };
}

export function streamGauges(nats: Nats): MeasuredGauges {
  const bytes = gauge('esd_stream_bytes');
  const exists = gauge('esd_consumer_exists');
  const pending = gauge('esd_consumer_pending');
  const oldest = gauge('esd_consumer_oldest_seconds');
  const dead = gauge('esd_dead_letters');
  return {
    gauges: [
      'esd_stream_bytes',
      'esd_consumer_exists',
      'esd_consumer_pending',
      'esd_consumer_oldest_seconds',
      'esd_dead_letters',
    ],
    read: async () => {
      const state = await streamState(nats);
      return () => {
        bytes.set(state.bytes);
        for (const { name: consumer, waiting, unacknowledged = 0, oldestSeconds = 0, deadLetters } of state.consumers) {
          exists.set({ consumer }, waiting === undefined ? 0 : 1);
          dead.set({ consumer }, deadLetters);
          if (waiting === undefined) continue;
          pending.set({ consumer }, waiting + unacknowledged);
          oldest.set({ consumer }, oldestSeconds);
        }
      };
    },
  };
}

async function consumerState(
  manager: JetStreamManager,
  consumers: readonly ConsumerInfo[],
  name: string,
  subject: string,
): Promise<ConsumerState> {
  const letters = named(consumers, redriveDurable(name));
  const deadLetters = letters ? letters.num_pending + letters.num_ack_pending : 0;
  const oldestLetter =
    letters && deadLetters > 0
      ? await nextMessage(manager, deadLetterSubject(name), letters.ack_floor.stream_seq + 1)
      : undefined;
  const deadLetterError = oldestLetter?.header.get(DEAD_LETTER_ERROR);
  const consumer = named(consumers, name);
  if (!consumer) return { name, subject, deadLetters, deadLetterError };
  const [waiting, unacknowledged] = [consumer.num_pending, consumer.num_ack_pending];
  if (waiting + unacknowledged === 0) return { name, subject, waiting, unacknowledged, deadLetters, deadLetterError };
  // All messages up to the floor are acknowledged; the next one of the subject is not.
  const oldest = await nextMessage(manager, subject, consumer.ack_floor.stream_seq + 1);
  const oldestSeconds = oldest ? Math.max(0, (Date.now() - oldest.time.getTime()) / 1_000) : undefined;
  return { name, subject, waiting, unacknowledged, oldestSeconds, deadLetters, deadLetterError };
}
