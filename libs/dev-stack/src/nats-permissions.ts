import type { NatsPermissions } from './nats.ts';
import type { Service } from './service-table.ts';

/** The JetStream stream that holds all events. */
const stream = 'ESD';

/** What the JetStream client of a process that publishes to the stream, or has a consumer, asks of the server. */
const streamSubjects = ['$JS.API.INFO', `$JS.API.STREAM.INFO.${stream}`, `$JS.API.STREAM.CREATE.${stream}`];

/**
 * What the durable consumers of a service need beside that, these and no other: the subject that a consumer filters by is part of
 * the one by which it is made. What cannot be decoded goes to another subject, which a second consumer reads.
 */
function consumerSubjects(durables: Service['durables']): string[] {
  return Object.entries(durables).flatMap(([durable, subject]) => [
    ...oneConsumer(durable, subject),
    ...oneConsumer(`${durable}-dead`, `esd.dead.${durable}`),
    `esd.dead.${durable}`,
  ]);
}

function oneConsumer(durable: string, subject: string): string[] {
  return [
    `$JS.API.CONSUMER.CREATE.${stream}.${durable}.${subject}`,
    `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
    `$JS.ACK.${stream}.${durable}.>`,
  ];
}

/** What purging needs: how far each consumer is, how old a message is, and the purge itself. */
const purgeSubjects = [
  `$JS.API.CONSUMER.LIST.${stream}`,
  `$JS.API.STREAM.MSG.GET.${stream}`,
  `$JS.API.STREAM.PURGE.${stream}`,
];

/**
 * What the NATS user of a service may do: publish its own subjects, use its own consumers, and receive the answers in its own inboxes.
 */
export function natsPermissions({ name, publishes, durables, purges }: Service): NatsPermissions {
  const consumer = consumerSubjects(durables);
  const usesStream = publishes.length > 0 || consumer.length > 0;
  const publish = [...publishes, ...(usesStream ? streamSubjects : []), ...consumer, ...(purges ? purgeSubjects : [])];
  return {
    // An empty list would allow everything.
    publish: publish.length > 0 ? { allow: publish } : { deny: ['>'] },
    subscribe: { allow: [`_INBOX_${name}.>`] },
  };
}
