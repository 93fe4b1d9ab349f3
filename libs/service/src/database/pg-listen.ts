import pg from 'pg';
import { failureLog } from '../health/failure-log.ts';
import type { Logger } from '../health/log.ts';
import { retryForever } from '../retry.ts';
import { SESSION_OPTIONS } from './postgres.ts';

const CONNECT_MS = 2_000;
const CHECK_MS = 10_000;

/**
 * Calls `onNotify` for each NOTIFY on a channel, and once after each (re)connection, because notifications may have been
 * lost. Uses its own connection and reconnects. Returns a stop function.
 */
export function listen(url: string, channel: string, onNotify: () => void, log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  let client: pg.Client | undefined;
  const listenOnce = async (): Promise<void> => {
    client = new pg.Client({
      connectionString: url,
      options: SESSION_OPTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: CONNECT_MS,
      keepAlive: true,
    });
    const listening = client;
    const broken = new Promise<never>((_, reject) => {
      listening.on('error', reject);
      listening.on('end', () => {
        reject(new Error('the connection ended'));
      });
    });
    // Prevents an unhandled rejection before it is awaited.
    broken.catch(() => undefined);
    const check = setInterval(() => {
      listening.query('select 1').catch((error: unknown) => listening.emit('error', error));
    }, CHECK_MS);
    try {
      // pg never settles connect() if end() is called before it.
      await Promise.race([listening.connect(), broken]);
      await listening.query(`listen ${listening.escapeIdentifier(channel)}`);
      listening.on('notification', onNotify);
      onNotify();
      await broken;
    } finally {
      clearInterval(check);
      await listening.end().catch(() => undefined);
    }
  };
  const running = retryForever(listenOnce, {
    signal: stopping.signal,
    onFailure: failureLog(log, 'listen failed; retrying', { channel }),
  }).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  return async () => {
    stopping.abort();
    await client?.end().catch(() => undefined);
    await running;
  };
}
