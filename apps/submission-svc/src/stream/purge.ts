import type { ConsumerInfo, JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Kysely } from 'kysely';
import { tryWithLock } from '@esd/background/advisory-lock';
import { type PeriodicJob, periodicJob } from '@esd/background/periodic-job';
import type { Nats } from '@esd/events/nats';
import type { OutboxTables } from '@esd/events/outbox';
import { deadLetterSubject, DURABLES, ensureStream, redriveDurable, STREAM, SUBJECTS } from '@esd/events/stream';
import type { Logger } from '@esd/service/health/log';
import { counter } from '@esd/service/health/metrics';
import { unlessAborted } from '@esd/service/unless-aborted';
import { listConsumers, named, nextMessage } from './read-stream.ts';

const DAY_MS = 86_400_000;
const KEEP_EVENTS_MS = 7 * DAY_MS;
const KEEP_DEAD_LETTERS_MS = 90 * DAY_MS;
const EVERY_MS = 3_600_000;
/** Key of the advisory lock: one replica purges at a time. */
const PURGE_LOCK = 4_733_002;

const purged = counter('esd_stream_purged_total');

export interface PurgingOptions {
  database: Kysely<OutboxTables>;
  nats: Nats;
  log: Logger;
}

export interface PurgeOutcome {
  purged: Record<string, number>;
  /** Durable consumers that do not exist; their subjects are not purged. */
  absent: string[];
}

/**
 * Purges events older than 7 days that all of their durable consumers have acknowledged. Also purges dead letters that a
 * redrive has handled or that are older than 90 days. `now` is in milliseconds since 1970. Throws the errors of the NATS
 * client.
 */
export async function purgeStream(connection: NatsConnection, now: number, streamReplicas = 1): Promise<PurgeOutcome> {
  const manager = await ensureStream(connection, streamReplicas);
  const consumers = await listConsumers(manager);
  const durables = Object.values(DURABLES);
  const absent = durables.map(({ durable }) => durable).filter((durable) => !named(consumers, durable));
  const outcome: PurgeOutcome = { purged: {}, absent };
  const purge = async (subject: string, seq: number): Promise<void> => {
    // Nothing precedes sequence 1. With 0, the server would purge all messages of the subject.
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
    // Includes unknown durables: a newer software release may have more of them.
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
  return outcome;
}

/** Purges the stream now and every hour, on one replica at a time. */
export function startPurging({ database, nats, log }: PurgingOptions): PeriodicJob {
  return periodicJob({
    name: 'stream-purge',
    everyMs: EVERY_MS,
    run: async (signal) => {
      const connection = await unlessAborted(nats.connected, signal);
      const outcome = await tryWithLock(database, PURGE_LOCK, () =>
        purgeStream(connection, Date.now(), nats.streamReplicas),
      );
      if (!outcome) return 'skipped';
      if (outcome.absent.length > 0) log.warn(outcome, 'consumers are missing; their events are not purged');
      else if (Object.keys(outcome.purged).length > 0) log.info(outcome, 'event stream purged');
      return undefined;
    },
    log,
  });
}

/** Returns whether a consumer may receive messages of the subject; true if in doubt. */
function receives({ config }: ConsumerInfo, subject: string): boolean {
  const filters = [config.filter_subject ?? [], config.filter_subjects ?? []].flat();
  return filters.length === 0 || filters.some((filter) => filter === subject || /[*>]/.test(filter));
}

/** Returns the sequence of the first message of the subject at or after `since`, at most `end`, by bisection. */
async function firstSince(
  manager: JetStreamManager,
  subject: string,
  since: number,
  range: { first: number; end: number },
): Promise<number> {
  let { first: low, end: high } = range;
  // Starts with the oldest message, which is usually not old enough or does not exist.
  for (let middle = low; low < high; middle = Math.floor((low + high) / 2)) {
    const message = await nextMessage(manager, subject, middle);
    if (message === null || message.time.getTime() >= since) high = middle;
    else low = message.seq + 1;
  }
  return high;
}
