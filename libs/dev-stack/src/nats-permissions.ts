import type { NatsPermissions } from './nats.ts';
import type { Service } from './service-table.ts';

const stream = 'ESD';

/** The requests of a JetStream client that publishes to the stream or has a consumer. */
const streamSubjects = ['$JS.API.INFO', `$JS.API.STREAM.INFO.${stream}`, `$JS.API.STREAM.CREATE.${stream}`];

/**
 * Returns the additional subjects for the durable consumers of a service. The subject that creates a consumer contains its filter subject.
 * Dead letters go to a subject of their own, which a second consumer reads.
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

/** The requests of a purge: the position of each consumer, the age of a message, and the purge itself. */
const purgeSubjects = [
  `$JS.API.CONSUMER.LIST.${stream}`,
  `$JS.API.STREAM.MSG.GET.${stream}`,
  `$JS.API.STREAM.PURGE.${stream}`,
];

/** Allows the NATS user of a service to publish its subjects, use its consumers, and receive responses in its inboxes. */
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
