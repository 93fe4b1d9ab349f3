import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { type Kysely, sql } from 'kysely';
import { Counter } from 'prom-client';
import type { Logger } from '@esd/service/log';
import { metrics } from '@esd/service/metrics';
import { listen } from '@esd/service/pg-listen';
import { retryForever } from '@esd/service/retry';
import { Wake } from '@esd/service/wake';
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
 * Publishes the outbox to JetStream in the order of its rows. Of several copies of a service one relays, the others
 * wait for its lock. Whatever fails is tried again for ever; a repetition carries the same message id. Returns how to stop it.
 */
export function startRelay(options: RelayOptions<OutboxTables>): () => Promise<void> {
  const { log } = options;
  const stopping = new AbortController();
  const wake = new Wake();
  const stopListening = listen(
    options.databaseUrl,
    OUTBOX_CHANNEL,
    () => {
      wake.now();
    },
    log,
  );
  const running = retryForever(() => relay(options, wake, stopping.signal), {
    signal: stopping.signal,
    onFailure: (err) => {
      log.warn({ err }, 'the outbox relay starts again');
    },
  }).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  return async () => {
    stopping.abort();
    wake.now();
    await stopListening();
    await running;
  };
}

async function relay(options: RelayOptions<OutboxTables>, wake: Wake, stopping: AbortSignal): Promise<void> {
  // The lock belongs to the session, so everything runs on the one connection that holds it.
  await options.database.connection().execute(async (connection) => {
    while (!stopping.aborted && !(await tryLock(connection))) await wake.wait(POLL_MS, stopping);
    if (stopping.aborted) return;
    try {
      while (!stopping.aborted) {
        const more = await publishBatch(connection, await unlessAborted(options.nats.connected, stopping));
        if (!more) await wake.wait(POLL_MS, stopping);
      }
    } finally {
      await sql`select pg_advisory_unlock(${RELAY_LOCK})`.execute(connection);
    }
  });
}

/** What a promise becomes; rejects as soon as nobody waits for it any more. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(new Error('stopped'));
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
    });
  });
}

async function tryLock(connection: Kysely<OutboxTables>): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_lock(${RELAY_LOCK}) as locked`.execute(
    connection,
  );
  return rows[0]?.locked ?? false;
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
