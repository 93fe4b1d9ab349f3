import type { ConsumerInfo, JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Kysely } from 'kysely';
import { Counter, Gauge } from 'prom-client';
import { tryWithLock } from '@esd/background/advisory-lock';
import { type PeriodicJob, periodicJob } from '@esd/background/periodic-job';
import type { Nats } from '@esd/events/nats';
import type { OutboxTables } from '@esd/events/outbox';
import { deadLetterSubject, DURABLES, ensureStream, redriveDurable, STREAM, SUBJECTS } from '@esd/events/stream';
import type { Logger } from '@esd/service/health/log';
import { metrics } from '@esd/service/health/metrics';
import { unlessAborted } from '@esd/service/unless-aborted';
import { listConsumers, named, nextMessage } from './read-stream.ts';

const DAY_MS = 86_400_000;
const KEEP_EVENTS_MS = 7 * DAY_MS;
const KEEP_DEAD_LETTERS_MS = 90 * DAY_MS;
const EVERY_MS = 3_600_000;
/** Key of the advisory lock: one copy purges at a time. */
const PURGE_LOCK = 4_733_002;

const purged = new Counter({
  name: 'esd_stream_purged_total',
  help: 'Messages purged from the event stream, by subject.',
  labelNames: ['subject'],
  registers: [metrics],
});
const streamBytes = new Gauge({
  name: 'esd_stream_bytes',
  help: 'Size of the event stream after the last purge, in bytes.',
  registers: [metrics],
});
const unacknowledged = new Gauge({
  name: 'esd_stream_unacknowledged',
  help: 'Events that a durable consumer had not acknowledged at the last purge; NaN while it does not exist.',
  labelNames: ['consumer'],
  registers: [metrics],
});

export interface PurgingOptions {
  database: Kysely<OutboxTables>;
  nats: Nats;
  log: Logger;
}

/** What a purge did, and what it could not do. */
export interface PurgeOutcome {
  /** How many messages are gone, by subject; only subjects with any. */
  purged: Record<string, number>;
  /** Durables of the table that do not exist; nothing is purged of their subjects. */
  absent: string[];
}

/**
 * Purges the stream. Of each kind of event goes what all of its durable consumers have acknowledged and is older than 7
 * days; of the dead letters what a redrive has handled, and what is older than 90 days. `now` is in milliseconds since
 * 1970. Throws what the NATS client throws.
 */
export async function purgeStream(connection: NatsConnection, now: number): Promise<PurgeOutcome> {
  const manager = await ensureStream(connection);
  const consumers = await listConsumers(manager);
  const durables = Object.values(DURABLES);
  const absent = durables.map(({ durable }) => durable).filter((durable) => !named(consumers, durable));
  for (const { durable } of durables) {
    const consumer = named(consumers, durable);
    unacknowledged.set({ consumer: durable }, consumer ? consumer.num_pending + consumer.num_ack_pending : NaN);
  }
  const outcome: PurgeOutcome = { purged: {}, absent };
  const purge = async (subject: string, seq: number): Promise<void> => {
    // Nothing is below; to the server 0 would mean all messages of the subject.
    if (seq <= 1) return;
    const { purged: count } = await manager.streams.purge(STREAM, { filter: subject, seq });
    if (count === 0) return;
    outcome.purged[subject] = count;
    purged.inc({ subject }, count);
  };
  const { first_seq: first, last_seq: last } = (await manager.streams.info(STREAM)).state;
  for (const subject of Object.values(SUBJECTS)) {
    const expected = durables.filter((one) => one.subject === subject);
    if (expected.length === 0 || expected.some(({ durable }) => absent.includes(durable))) continue;
    // Also durables that are not in the table count: a newer release may have more of them.
    const floors = consumers
      .filter((consumer) => consumer.config.durable_name !== undefined && receives(consumer, subject))
      .map((consumer) => consumer.ack_floor.stream_seq);
    await purge(
      subject,
      await firstSince(manager, subject, now - KEEP_EVENTS_MS, { first, end: Math.min(...floors) + 1 }),
    );
  }
  for (const { durable } of durables) {
    const subject = deadLetterSubject(durable);
    const handled = named(consumers, redriveDurable(durable))?.ack_floor.stream_seq ?? 0;
    const old = await firstSince(manager, subject, now - KEEP_DEAD_LETTERS_MS, { first, end: last + 1 });
    await purge(subject, Math.max(handled + 1, old));
  }
  streamBytes.set((await manager.streams.info(STREAM)).state.bytes);
  return outcome;
}

/** Purges the stream now and each hour, in one copy of the service at a time. What fails is tried again an hour later. */
export function startPurging({ database, nats, log }: PurgingOptions): PeriodicJob {
  return periodicJob({
    name: 'purge of the event stream',
    everyMs: EVERY_MS,
    run: async (signal) => {
      const connection = await unlessAborted(nats.connected, signal);
      await tryWithLock(database, PURGE_LOCK, async () => {
        const outcome = await purgeStream(connection, Date.now());
        if (outcome.absent.length > 0) log.warn(outcome, 'consumers are missing: their events stay in the stream');
        else if (Object.keys(outcome.purged).length > 0) log.info(outcome, 'the event stream was purged');
      });
    },
    log,
  });
}

/** Whether a consumer may get messages of the subject; in doubt it may. */
function receives({ config }: ConsumerInfo, subject: string): boolean {
  const filters = [config.filter_subject ?? [], config.filter_subjects ?? []].flat();
  return filters.length === 0 || filters.some((filter) => filter === subject || /[*>]/.test(filter));
}

/**
 * The sequence of the first message of the subject that came at `since` or later, at most `end`: by bisection, so that few
 * messages are looked at however many there are.
 */
async function firstSince(
  manager: JetStreamManager,
  subject: string,
  since: number,
  range: { first: number; end: number },
): Promise<number> {
  let { first: low, end: high } = range;
  // Most often the oldest is not old enough, or there is none.
  for (let middle = low; low < high; middle = Math.floor((low + high) / 2)) {
    const message = await nextMessage(manager, subject, middle);
    if (message === null || message.time.getTime() >= since) high = middle;
    else low = message.seq + 1;
  }
  return high;
}
