import { jetstream } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type LeaderLoop, leaderLoop } from '@esd/background/leader-loop';
import type { Logger } from '@esd/service/health/log';
import { counter } from '@esd/service/health/metrics';
import { inSpan, TRACEPARENT } from '@esd/service/health/traces';
import { unlessAborted } from '@esd/service/unless-aborted';
import { eventDetails, eventSpan } from './event-details.ts';
import type { Nats } from './nats.ts';
import { OUTBOX_CHANNEL, type OutboxTables } from './outbox.ts';
import { ensureStream } from './stream.ts';

const BATCH = 200;
const POLL_MS = 1_000;
const PUBLISH_MS = 5_000;
/** The transaction waits for two attempts to publish. */
const IDLE_MS = 4 * PUBLISH_MS;
/** The advisory lock that allows one relay per database. */
const RELAY_LOCK = 4_733_001;

const published = counter('esd_outbox_published_total');

export interface RelayOptions<Tables extends OutboxTables> {
  database: Kysely<Tables>;
  databaseUrl: string;
  nats: Nats;
  log: Logger;
}

/** Publishes the outbox to JetStream in row order, on one replica of a service. Retries forever with the same message ids. */
export function startRelay({ database, databaseUrl, nats, log }: RelayOptions<OutboxTables>): LeaderLoop {
  return leaderLoop({
    name: 'outbox relay',
    database,
    databaseUrl,
    lock: RELAY_LOCK,
    channel: OUTBOX_CHANNEL,
    pollMs: POLL_MS,
    turn: async (connection, signal) =>
      publishBatch(connection, await unlessAborted(nats.connected, signal), nats.streamReplicas),
    log,
  });
}

/** Publishes the oldest due rows; returns true if there may be more. Throws if JetStream does not acknowledge all of them. */
async function publishBatch(
  connection: Kysely<OutboxTables>,
  nats: NatsConnection,
  streamReplicas: number,
): Promise<boolean> {
  const { rows, results } = await connection.transaction().execute(async (transaction) => {
    await sql`select set_config('idle_in_transaction_session_timeout', ${String(IDLE_MS)}, true)`.execute(transaction);
    return publishRows(transaction, nats, streamReplicas);
  });
  const failed = results.findIndex((result) => result.status === 'rejected');
  const [result, row] = [results[failed], rows[failed]];
  if (result?.status === 'rejected' && row) {
    throw Object.assign(new Error('event not acknowledged', { cause: result.reason }), eventDetails(row));
  }
  return rows.length === BATCH;
}

/** Publishes the oldest due rows, locked until they are marked as published; see `recallFromOutbox`. */
async function publishRows(transaction: Transaction<OutboxTables>, nats: NatsConnection, streamReplicas: number) {
  const rows = await transaction
    .selectFrom('outbox')
    .select(['id', 'subject', 'body', 'traceparent'])
    .where('published_at', 'is', null)
    .where('created_at', '<=', sql<Date>`now()`)
    .orderBy('sequence')
    .limit(BATCH)
    .forUpdate()
    .execute();
  if (rows.length === 0) return { rows, results: [] };
  const client = jetstream(nats, { timeout: PUBLISH_MS });
  const publishOne = ({ id, subject, body, traceparent }: (typeof rows)[number]) =>
    inSpan(eventSpan('send', { id, subject, body }, [traceparent]), (span) => {
      const options = { msgID: id, timeout: PUBLISH_MS };
      if (span.traceparent === undefined) return client.publish(subject, body, options);
      const context = headers();
      context.set(TRACEPARENT, span.traceparent);
      return client.publish(subject, body, { ...options, headers: context });
    });
  const publish = () => Promise.allSettled(rows.map(publishOne));
  let results = await publish();
  if (results.some((result) => result.status === 'rejected')) {
    // The usual reason is that the stream does not exist yet or was lost.
    await ensureStream(nats, streamReplicas);
    results = await publish();
  }
  const done = rows.filter((_, index) => results[index]?.status === 'fulfilled').map((row) => row.id);
  if (done.length > 0) {
    await transaction.updateTable('outbox').set({ published_at: new Date() }).where('id', 'in', done).execute();
    published.inc(done.length);
  }
  return { rows, results };
}
