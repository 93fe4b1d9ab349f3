import {
  AckPolicy,
  DeliverPolicy,
  jetstream,
  type Consumer,
  type ConsumerMessages,
  type JsMsg,
} from '@nats-io/jetstream';
import { Counter } from 'prom-client';
import { isTransient } from '@esd/service/errors';
import type { Logger } from '@esd/service/health/log';
import { metrics } from '@esd/service/health/metrics';
import { retryForever } from '@esd/service/retry';
import { Wake } from '@esd/service/wake';
import type { Nats } from './nats.ts';
import { deadLetterSubject, ensureStream, redriveDurable, STREAM } from './stream.ts';

const BATCH = 200;
const MAX_UNACKNOWLEDGED = 1_000;
// How long an event waits that a copy took and did not live to acknowledge. A batch takes milliseconds; one that takes
// longer comes again, which changes nothing.
const ACK_WAIT_NS = 5_000_000_000;
const AGAIN_MS = 5_000;

const handled = new Counter({
  name: 'esd_events_total',
  help: 'Events that a consumer has taken, by what became of them: handled, failed (comes again), dead (cannot be decoded).',
  labelNames: ['consumer', 'outcome'],
  registers: [metrics],
});

export interface ConsumerOptions<Event> {
  nats: Nats;
  /** Name of the durable consumer; copies of a service share it. */
  durable: string;
  subject: string;
  /** Throws when the bytes are no such event: it then goes to the dead letters. */
  decode: (body: Uint8Array) => Event;
  /** Takes effect whole or not at all, and once however often an event comes. */
  handle: (events: readonly Event[]) => Promise<void>;
  log: Logger;
}

/**
 * Handles the events of a subject, in batches of what has arrived. A failing store or network is tried again for
 * ever; an event that fails by itself comes again later and holds nobody up. Returns how to stop it.
 */
export function startConsumer<Event>(options: ConsumerOptions<Event>): () => Promise<void> {
  const stopping = new AbortController();
  let open: ConsumerMessages | undefined;
  const running = retryForever(
    async () => {
      const consumer = await durableConsumer(options.nats, options.durable, options.subject);
      // Made beforehand: what exists as a pull consumer cannot be turned by a stolen password into one that sends to others.
      await durableConsumer(options.nats, redriveDurable(options.durable), deadLetterSubject(options.durable));
      // A consumer that is gone, with the disk of its server, ends this one, so that both are made anew.
      open = await consumer.consume({ max_messages: BATCH, abort_on_missing_resource: true });
      if (stopping.signal.aborted) {
        await open.close();
        return;
      }
      await consumeBatches(open, options, stopping.signal);
      if (!stopping.signal.aborted) throw new Error('the consumer ended');
    },
    {
      signal: stopping.signal,
      onFailure: (err) => {
        options.log.warn({ err, consumer: options.durable }, 'the consumer starts again');
      },
    },
  ).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  return async () => {
    stopping.abort();
    await open?.close();
    // Without a first connection there is nothing to wait for.
    if (open) await running;
  };
}

/**
 * Handles the dead letters of a consumer once more, after the code that could not decode them was mended. Returns how
 * many were handled; those that fail again stay, the others are purged from the stream later.
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
        options.log.error({ err, sequence: message.seq }, 'the dead letter failed again');
        failed.push(message);
      }
    }
    if (seen === 0) break;
  }
  // Given back only now, so that this run sees each once.
  for (const message of failed) message.nak();
  await (await options.nats.connected).flush();
  return done;
}

async function durableConsumer(nats: Nats, durable: string, subject: string): Promise<Consumer> {
  const connection = await nats.connected;
  const manager = await ensureStream(connection);
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
  stopping: AbortSignal,
): Promise<void> {
  // Bounded by MAX_UNACKNOWLEDGED: the server sends no more until some are acknowledged.
  const arrived: JsMsg[] = [];
  const wake = new Wake();
  let ended = false;
  const reading = (async () => {
    try {
      for await (const message of messages) {
        arrived.push(message);
        wake.now();
      }
    } finally {
      ended = true;
      wake.now();
    }
  })();
  // It may end badly while a batch waits for its store; that is reported below.
  reading.catch(() => undefined);
  while (!stopping.aborted && !(ended && arrived.length === 0)) {
    if (arrived.length === 0) await wake.wait(60_000, stopping);
    else await handleBatch(arrived.splice(0, BATCH), options, stopping);
  }
  await reading;
}

async function handleBatch<Event>(
  batch: JsMsg[],
  options: ConsumerOptions<Event>,
  stopping: AbortSignal,
): Promise<void> {
  const { durable, log } = options;
  const readable: { message: JsMsg; event: Event }[] = [];
  for (const message of batch) {
    try {
      readable.push({ message, event: options.decode(message.data) });
    } catch (err) {
      log.error({ err, consumer: durable, sequence: message.seq }, 'an event cannot be decoded');
      await bury(message, options);
    }
  }
  const settle = async (part: typeof readable): Promise<void> => {
    await retryForever(() => options.handle(part.map(({ event }) => event)), {
      retriable: isTransient,
      signal: stopping,
      onFailure: (err) => {
        log.warn({ err, consumer: durable }, 'events wait for the store');
        for (const { message } of part) message.working();
      },
    });
    for (const { message } of part) message.ack();
    handled.inc({ consumer: durable, outcome: 'handled' }, part.length);
  };
  try {
    if (readable.length > 0) await settle(readable);
  } catch (error) {
    if (stopping.aborted) return;
    log.error({ err: error, consumer: durable }, 'a batch of events failed; trying them one by one');
    for (const one of readable) {
      try {
        await settle([one]);
      } catch (err) {
        log.error({ err, consumer: durable, sequence: one.message.seq }, 'an event failed and comes again');
        handled.inc({ consumer: durable, outcome: 'failed' });
        one.message.nak(AGAIN_MS);
      }
    }
  }
}

async function bury<Event>(message: JsMsg, options: ConsumerOptions<Event>): Promise<void> {
  const client = jetstream(await options.nats.connected);
  try {
    await client.publish(deadLetterSubject(options.durable), message.data, {
      msgID: `${options.durable}-${message.seq}`,
    });
  } catch (err) {
    options.log.warn({ err }, 'the dead letter could not be kept; the event comes again');
    message.nak(AGAIN_MS);
    return;
  }
  message.term('cannot be decoded');
  handled.inc({ consumer: options.durable, outcome: 'dead' });
}
