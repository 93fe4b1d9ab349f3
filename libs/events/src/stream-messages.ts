import { setTimeout as sleep } from 'node:timers/promises';
import { JetStreamApiError, jetstreamManager, type JetStreamManager, type StreamInfo } from '@nats-io/jetstream';
import { createLog } from '@esd/service/health/log';
import { unlessAborted } from '@esd/service/unless-aborted';
import { type NatsConfig, openNats } from './nats.ts';
import { STREAM } from './stream.ts';

const CONNECT_MS = 10_000;
const NS_IN_MS = 1_000_000;
const STREAM_NOT_FOUND = 10_059;

/**
 * Returns the number of messages in the stream. For an empty stream, first waits until NATS accepts the ids of purged
 * events again, at most the duplicate window. Throws an Error if NATS is not reachable.
 */
export function countMessages(config: NatsConfig): Promise<number> {
  return withStream(
    config,
    async (_, { state, config: { duplicate_window: window }, ts = new Date().toISOString() }) => {
      if (state.messages === 0)
        await sleep(Math.max(0, Date.parse(state.last_ts) + window / NS_IN_MS - Date.parse(ts)));
      return state.messages;
    },
  );
}

/** Deletes all messages, also dead letters, and returns their number. Throws an Error if NATS is not reachable. */
export function purgeMessages(config: NatsConfig): Promise<number> {
  return withStream(config, async (manager) => (await manager.streams.purge(STREAM)).purged);
}

/** Returns 0 if the stream does not exist. */
async function withStream(
  config: NatsConfig,
  work: (manager: JetStreamManager, info: StreamInfo) => Promise<number>,
): Promise<number> {
  await using nats = openNats(config, 'restore', createLog('restore', 'silent'));
  const connection = await unlessAborted(nats.connected, AbortSignal.timeout(CONNECT_MS)).catch(() => {
    const { ESD_NATS_URL: url, ESD_NATS_USER: user } = config;
    throw new Error(
      `NATS at ${url} does not respond, or refuses the user ${user}. Check ESD_NATS_URL and the password.`,
    );
  });
  const manager = await jetstreamManager(connection, { checkAPI: false });
  try {
    return await work(manager, await manager.streams.info(STREAM));
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return 0;
    throw error;
  }
}
