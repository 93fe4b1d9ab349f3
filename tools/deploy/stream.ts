import { countMessages, purgeMessages } from '@esd/events/stream-messages';

/*
 * Prepares the event stream for a restore: `stream.ts count` prints the number of messages, and `stream.ts purge` deletes them.
 * ESD_NATS_URL, ESD_NATS_USER and ESD_NATS_PASSWORD select the server. Only the user submission-svc may purge.
 */

const [verb = ''] = process.argv.slice(2);
const { ESD_NATS_URL, ESD_NATS_USER, ESD_NATS_PASSWORD } = process.env;
try {
  if (!ESD_NATS_URL || !ESD_NATS_USER || !ESD_NATS_PASSWORD)
    throw new Error('Set ESD_NATS_URL, ESD_NATS_USER and ESD_NATS_PASSWORD for NATS.');
  const config = { ESD_NATS_URL, ESD_NATS_USER, ESD_NATS_PASSWORD };
  if (verb === 'count') console.log(await countMessages(config));
  else if (verb === 'purge') console.log(`${await purgeMessages(config)} messages purged`);
  else throw new Error('Usage: stream.ts count|purge');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
