import type { NatsPermissions } from './nats.ts';
import type { Service } from './service-table.ts';

/** The JetStream stream that holds all events. */
const stream = 'ESD';

/** What the JetStream client of a process that publishes to the stream, or has a consumer, asks of the server. */
const streamSubjects = ['$JS.API.INFO', `$JS.API.STREAM.INFO.${stream}`, `$JS.API.STREAM.CREATE.${stream}`];

/** What a durable consumer needs beside that; what it cannot decode goes to a subject of its own. */
const consumerSubjects = [
  `$JS.API.CONSUMER.CREATE.${stream}.>`,
  `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.>`,
  `$JS.API.CONSUMER.INFO.${stream}.>`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.>`,
  `$JS.ACK.${stream}.>`,
  'esd.dead.>',
];

/** What purging needs: how far each consumer is, how old a message is, and the purge itself. */
const purgeSubjects = [
  `$JS.API.CONSUMER.LIST.${stream}`,
  `$JS.API.STREAM.MSG.GET.${stream}`,
  `$JS.API.STREAM.PURGE.${stream}`,
];

/** What the NATS user of a service may do: publish its own subjects, and use JetStream as far as it needs it. */
export function natsPermissions({ publishes, hears, consumes, purges }: Service): NatsPermissions {
  const usesStream = publishes.length > 0 || consumes;
  const publish = [
    ...publishes,
    ...(usesStream ? streamSubjects : []),
    ...(consumes ? consumerSubjects : []),
    ...(purges ? purgeSubjects : []),
  ];
  return {
    // An empty list would allow everything.
    publish: publish.length > 0 ? { allow: publish } : { deny: ['>'] },
    subscribe: { allow: ['_INBOX.>', '_R_.>', ...hears] },
  };
}
