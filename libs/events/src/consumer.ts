import {
  AckPolicy,
  DeliverPolicy,
  jetstream,
  type Consumer,
  type ConsumerMessages,
  type JsMsg,
} from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { isTransient } from '@esd/service/errors';
import type { Logger } from '@esd/service/health/log';
import { failureLog, type ReportFailure } from '@esd/service/health/failure-log';
import { counter, histogram, startAtZero } from '@esd/service/health/metrics';
import { ATTRIBUTE, inSpan, TRACEPARENT } from '@esd/service/health/traces';
import { retryForever } from '@esd/service/retry';
import { Wake } from '@esd/service/wake';
import { eventDetails, type EventMessage, eventSpan } from './event-details.ts';
import type { Nats } from './nats.ts';
import { DEAD_LETTER_ERROR, deadLetterSubject, ensureStream, redriveDurable, STREAM } from './stream.ts';

const BATCH = 200;
const MAX_UNACKNOWLEDGED = 1_000;
// Redelivery delay of events whose replica died. A batch takes milliseconds; redelivery of a slow one is harmless.
const ACK_WAIT_NS = 5_000_000_000;
const REDELIVERY_MS = 5_000;
const MAX_ERROR_LENGTH = 300;

const received = counter('esd_events_total');
const delay = histogram('esd_event_delay_seconds');

export interface ConsumerOptions<Event> {
  nats: Nats;
  /** Name of the durable consumer, which the replicas of a service share. */
  durable: string;
  subject: string;
  /** Throws for an invalid event, which then becomes a dead letter. */
  decode: (body: Uint8Array) => Event;
  /** Must be atomic and idempotent. */
  handle: (events: readonly Event[]) => Promise<void>;
  log: Logger;
}

/**
 * Handles the events of a subject in batches. Retries forever while a store or the network fails. An event that fails on
 * its own is redelivered later and does not block others. Returns a stop function.
 */
export function startConsumer<Event>(options: ConsumerOptions<Event>): () => Promise<void> {
  startAtZero('esd_events_total', { consumer: options.durable });
  startAtZero('esd_event_delay_seconds', { consumer: options.durable });
  const stopping = new AbortController();
  const report = failureLogs(options);
  let open: ConsumerMessages | undefined;
  const running = retryForever(
    async () => {
      const consumer = await durableConsumer(options.nats, options.durable, options.subject);
      // Created in advance: a stolen password cannot turn an existing pull consumer into one that pushes to other subjects.
      await durableConsumer(options.nats, redriveDurable(options.durable), deadLetterSubject(options.durable));
      // If the server loses the consumer, consuming ends and both consumers are created again.
      open = await consumer.consume({ max_messages: BATCH, abort_on_missing_resource: true });
      if (stopping.signal.aborted) {
        await open.close();
        return;
      }
      await consumeBatches(open, options, report, stopping.signal);
      if (!stopping.signal.aborted) throw new Error('the consumer ended');
    },
    {
      signal: stopping.signal,
      onFailure: report.consumer,
    },
  ).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  return async () => {
    stopping.abort();
    await open?.close();
    // Without a first connection, `running` never ends.
    if (open) await running;
  };
}

/**
 * Processes the dead letters of a consumer again, after its decoder was fixed. Returns the number of handled events.
 * Events that fail again remain dead letters; the others are purged from the stream later.
 */
export async function redrive<Event>(options: ConsumerOptions<Event>): Promise<number> {
  const consumer = await durableConsumer(
    options.nats,
    redriveDurable(options.durable),
    deadLetterSubject(options.durable),
  );
  let done = 0;
  const failed: JsMsg[] = [];
  for (;;) {
    const batch = await consumer.fetch({ max_messages: 100, expires: 1_000 });
    let seen = 0;
    for await (const message of batch) {
      seen += 1;
      try {
        await options.handle([options.decode(message.data)]);
        message.ack();
        done += 1;
      } catch (err) {
        options.log.error(
          { err, sequence: message.seq, ...eventDetails(eventOf(message, options)) },
          'dead letter failed again',
        );
        failed.push(message);
      }
    }
    if (seen === 0) break;
  }
  // Rejected only now, so that this run receives each message once.
  for (const message of failed) message.nak();
  await (await options.nats.connected).flush();
  return done;
}

type FailureLogs = ReturnType<typeof failureLogs>;

function failureLogs({ log, durable }: Pick<ConsumerOptions<never>, 'log' | 'durable'>) {
  const place = { consumer: durable };
  return {
    consumer: failureLog(log, 'consumer failed; restarting', place),
    store: failureLog(log, 'store unavailable; retrying', place),
    deadLetter: failureLog(log, 'dead letter not stored; redelivery requested', place),
    batch: failureLog(log, 'event batch failed; retrying one by one', place, 'error'),
    event: failureLog(log, 'event failed; redelivery requested', place, 'error'),
  };
}

function eventOf({ headers, data }: JsMsg, { subject }: { subject: string }): EventMessage {
  const id = headers?.get('Nats-Msg-Id') ?? '';
  return { id: id === '' ? undefined : id, subject, body: data };
}

async function durableConsumer(nats: Nats, durable: string, subject: string): Promise<Consumer> {
  const connection = await nats.connected;
  const manager = await ensureStream(connection, nats.streamReplicas);
  await manager.consumers.add(STREAM, {
    durable_name: durable,
    filter_subject: subject,
    ack_policy: AckPolicy.Explicit,
    ack_wait: ACK_WAIT_NS,
    deliver_policy: DeliverPolicy.All,
    max_ack_pending: MAX_UNACKNOWLEDGED,
    max_deliver: -1,
  });
  return jetstream(connection).consumers.get(STREAM, durable);
}

async function consumeBatches<Event>(
  messages: ConsumerMessages,
  options: ConsumerOptions<Event>,
  report: FailureLogs,
  stopping: AbortSignal,
): Promise<void> {
  // By sequence: while a batch is retried, the server delivers events again. This bounds them by MAX_UNACKNOWLEDGED.
  const arrived = new Map<number, JsMsg>();
  const wake = new Wake();
  let ended = false;
  const reading = (async () => {
    try {
      for await (const message of messages) {
        arrived.set(message.seq, message);
        wake.now();
      }
    } finally {
      ended = true;
      wake.now();
    }
  })();
  // Prevents an unhandled rejection during a batch; awaited below.
  reading.catch(() => undefined);
  while (!stopping.aborted && !(ended && arrived.size === 0)) {
    const batch = [...arrived.values()].slice(0, BATCH);
    if (batch.length === 0) await wake.wait(60_000, stopping);
    await handleBatch(batch, options, report, stopping);
    // Not earlier, because the server may have delivered them again.
    for (const { seq } of batch) arrived.delete(seq);
  }
  await reading;
}

async function handleBatch<Event>(
  batch: JsMsg[],
  options: ConsumerOptions<Event>,
  report: FailureLogs,
  stopping: AbortSignal,
): Promise<void> {
  const { durable, log } = options;
  const readable: { message: JsMsg; event: Event }[] = [];
  for (const message of batch) {
    try {
      readable.push({ message, event: options.decode(message.data) });
    } catch (err) {
      const details = { consumer: durable, sequence: message.seq, ...eventDetails(eventOf(message, options)) };
      log.error({ err, ...details }, 'event cannot be decoded');
      await publishDeadLetter(message, err, options, report.deadLetter);
    }
  }
  const settle = async (part: typeof readable): Promise<void> => {
    const [first] = part;
    if (!first) return;
    const event = eventOf(first.message, options);
    const contexts = part.map(({ message }) => message.headers?.get(TRACEPARENT));
    const batch = { [ATTRIBUTE.messagingConsumer]: durable, [ATTRIBUTE.messagingBatchCount]: part.length };
    const handle = () =>
      inSpan(eventSpan('process', event, contexts, batch), () => options.handle(part.map(({ event }) => event)));
    await retryForever(handle, {
      retriable: isTransient,
      signal: stopping,
      onFailure: (err) => {
        report.store(err, { events: part.length, ...eventDetails(event) });
        for (const { message } of part) message.working();
      },
    });
    for (const { message } of part) {
      message.ack();
      const seconds = ageOf(message);
      if (seconds !== undefined) delay.observe({ consumer: durable }, seconds);
    }
    received.inc({ consumer: durable, result: 'handled' }, part.length);
  };
  try {
    await settle(readable);
  } catch (error) {
    if (stopping.aborted) return;
    report.batch(error, { events: readable.length });
    for (const one of readable) {
      try {
        await settle([one]);
      } catch (err) {
        report.event(err, { sequence: one.message.seq, ...eventDetails(eventOf(one.message, options)) });
        received.inc({ consumer: durable, result: 'failed' });
        one.message.nak(REDELIVERY_MS);
      }
    }
  }
}

/** Returns the age of an event in seconds, by the time in its id (UUIDv7, RFC 9562, section 5.7). */
function ageOf({ headers }: JsMsg): number | undefined {
  const time = Number.parseInt((headers?.get('Nats-Msg-Id') ?? '').replace('-', '').slice(0, 12), 16);
  return Number.isNaN(time) ? undefined : Math.max(0, Date.now() - time) / 1000;
}

async function publishDeadLetter<Event>(
  message: JsMsg,
  reason: unknown,
  options: ConsumerOptions<Event>,
  report: ReportFailure,
): Promise<void> {
  const client = jetstream(await options.nats.connected);
  const header = headers();
  // A header is one line of ASCII.
  header.set(
    DEAD_LETTER_ERROR,
    String(reason)
      .replaceAll(/[^ -~]+/g, ' ')
      .slice(0, MAX_ERROR_LENGTH),
  );
  try {
    await client.publish(deadLetterSubject(options.durable), message.data, {
      msgID: `${options.durable}-${message.seq}`,
      headers: header,
    });
  } catch (err) {
    report(err, eventDetails(eventOf(message, options)));
    message.nak(REDELIVERY_MS);
    return;
  }
  message.term('cannot be decoded');
  received.inc({ consumer: options.durable, result: 'dead' });
}
