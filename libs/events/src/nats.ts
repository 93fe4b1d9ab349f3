import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '@esd/service/health/log';
import { forgetUsage, usageWarning } from '@esd/service/health/disk';
import type { Dependency } from '@esd/service/health/readiness';
import { retryForever } from '@esd/service/retry';
import type { WarningCheck } from '@esd/service/health/warnings';

export interface NatsConfig {
  ESD_NATS_URL: string;
  ESD_NATS_USER: string;
  ESD_NATS_PASSWORD: string;
  ESD_STREAM_REPLICAS?: number;
}

export interface Nats extends AsyncDisposable {
  /** Resolves at the first connection and rejects after `close`. The client then reconnects by itself without limit. */
  connected: Promise<NatsConnection>;
  /** The replicas of the event stream if this process creates it. */
  streamReplicas: number;
  /** Down without a connection. Requests do not need NATS, and events wait in the outbox. */
  dependency: Dependency;
  /** Checks the storage use of the account, if the NATS server limits it. */
  watched: WarningCheck;
  close(): Promise<void>;
}

/** Returns the inbox prefix of a user. NATS permissions restrict the inbox to this user. */
export function inboxPrefix(user: string): string {
  return `_INBOX_${user.replaceAll(/[^\w-]/g, '_')}`;
}

/** Connects to NATS in the background, so that a process starts and works while NATS is unavailable. */
export function openNats(config: NatsConfig, name: string, log: Logger): Nats {
  let connection: NatsConnection | undefined;
  const closing = new AbortController();
  const servers = config.ESD_NATS_URL.split(',');
  const options: ConnectionOptions = {
    servers,
    // The client ignores the scheme; without this it would send the password unencrypted to a server without TLS.
    ...(servers.some((server) => server.startsWith('tls://')) ? { tls: {} } : {}),
    user: config.ESD_NATS_USER,
    pass: config.ESD_NATS_PASSWORD,
    name,
    inboxPrefix: inboxPrefix(config.ESD_NATS_USER),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    timeout: 5_000,
    pingInterval: 5_000,
    maxPingOut: 2,
  };
  // The client's own retries of the first connection cannot be stopped.
  const connected = retryForever(() => connect(options), {
    signal: closing.signal,
    onFailure: (err) => {
      log.debug({ err }, 'nats connection failed; retrying');
    },
  });
  connected.then(
    (opened) => {
      connection = opened;
      if (closing.signal.aborted) void opened.close();
      void (async () => {
        for await (const status of opened.status()) {
          if (status.type === 'disconnect' || status.type === 'reconnect') log.info({ nats: status.type }, 'nats');
          else if (status.type === 'error') log.warn({ err: status.error }, 'nats');
        }
      })();
    },
    () => undefined,
  );
  const close = async (): Promise<void> => {
    closing.abort();
    await connection?.close();
  };
  return {
    connected,
    streamReplicas: config.ESD_STREAM_REPLICAS ?? 1,
    dependency: {
      name: 'nats',
      needed: false,
      check: async () => {
        if (!connection) throw new Error('not connected yet');
        await connection.rtt();
      },
    },
    watched: {
      name: 'nats',
      check: async () => {
        if (!connection) return undefined;
        try {
          const { storage, limits } = await (await jetstreamManager(connection, { checkAPI: false })).getAccountInfo();
          // Without a limit, the account can fill the disk of the server, which this process cannot measure.
          return limits.max_storage > 0 ? usageWarning('nats', storage, limits.max_storage) : undefined;
        } catch (error) {
          forgetUsage('nats');
          throw error;
        }
      },
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
