import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Kysely } from 'kysely';
import { Counter } from 'prom-client';
import { type LeaderLoop, leaderLoop } from '@esd/background/leader-loop';
import type { Logger } from '@esd/service/health/log';
import { metrics } from '@esd/service/health/metrics';
import { unlessAborted } from '@esd/service/unless-aborted';
import type { Nats } from './nats.ts';
import { OUTBOX_CHANNEL, type OutboxTables } from './outbox.ts';
import { ensureStream } from './stream.ts';

const BATCH = 200;
const POLL_MS = 1_000;
const PUBLISH_MS = 5_000;
/** Key of the advisory lock: one relay at a time in each database. */
const RELAY_LOCK = 4_733_001;

const published = new Counter({
  name: 'esd_outbox_published_total',
  help: 'Events taken from the outbox and acknowledged by JetStream.',
  registers: [metrics],
});

export interface RelayOptions<Tables extends OutboxTables> {
  database: Kysely<Tables>;
  databaseUrl: string;
  nats: Nats;
  log: Logger;
}

/**
 * Publishes the outbox to JetStream in the order of its rows. Of several copies of a service one relays. What fails is tried
 * again for ever; a repetition carries the same message id.
 */
export function startRelay({ database, databaseUrl, nats, log }: RelayOptions<OutboxTables>): LeaderLoop {
  return leaderLoop({
    name: 'outbox relay',
    database,
    databaseUrl,
    lock: RELAY_LOCK,
    channel: OUTBOX_CHANNEL,
    pollMs: POLL_MS,
    turn: async (connection, signal) => publishBatch(connection, await unlessAborted(nats.connected, signal)),
    log,
  });
}

/** Publishes the oldest rows; true when there may be more. Throws when one of them was not acknowledged. */
async function publishBatch(connection: Kysely<OutboxTables>, nats: NatsConnection): Promise<boolean> {
  const rows = await connection
    .selectFrom('outbox')
    .select(['id', 'subject', 'body'])
    .where('published_at', 'is', null)
    .orderBy('sequence')
    .limit(BATCH)
    .execute();
  if (rows.length === 0) return false;
  const client = jetstream(nats, { timeout: PUBLISH_MS });
  const publish = () =>
    Promise.allSettled(
      rows.map((row) => client.publish(row.subject, row.body, { msgID: row.id, timeout: PUBLISH_MS })),
    );
  let results = await publish();
  if (results.some((result) => result.status === 'rejected')) {
    // Most often the stream is not there yet, or is gone with its disk.
    await ensureStream(nats);
    results = await publish();
  }
  const done = rows.filter((_, index) => results[index]?.status === 'fulfilled').map((row) => row.id);
  if (done.length > 0) {
    await connection.updateTable('outbox').set({ published_at: new Date() }).where('id', 'in', done).execute();
    published.inc(done.length);
  }
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw new Error('an event was not acknowledged', { cause: failed.reason });
  return rows.length === BATCH;
}
