import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '@esd/service/log';
import type { Dependency } from '@esd/service/readiness';

interface NatsConfig {
  ESD_NATS_URL: string;
  ESD_NATS_USER: string;
  ESD_NATS_PASSWORD: string;
}

export interface Nats {
  /** Resolves at the first connection; from then on the client reconnects by itself, for ever. */
  connected: Promise<NatsConnection>;
  /** Down while there is no connection. Requests are answered without it; events wait. */
  dependency: Dependency;
  close(): Promise<void>;
}

/** Where a user alone may hear answers; its permissions say so. */
export function inboxPrefix(user: string): string {
  return `_INBOX_${user.replaceAll(/[^\w-]/g, '_')}`;
}

/** Connects to NATS in the background, so that a process starts and works while NATS is away. */
export function openNats(config: NatsConfig, name: string, log: Logger): Nats {
  let connection: NatsConnection | undefined;
  let closed = false;
  const connected = connect({
    servers: config.ESD_NATS_URL.split(','),
    user: config.ESD_NATS_USER,
    pass: config.ESD_NATS_PASSWORD,
    name,
    inboxPrefix: inboxPrefix(config.ESD_NATS_USER),
    ...(config.ESD_NATS_URL.includes('tls://') ? { tls: {} } : {}),
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    timeout: 5_000,
    pingInterval: 5_000,
    maxPingOut: 2,
  });
  connected.then(
    (opened) => {
      connection = opened;
      if (closed) void opened.close();
      void (async () => {
        for await (const status of opened.status()) {
          if (status.type === 'disconnect' || status.type === 'reconnect') log.info({ nats: status.type }, 'nats');
          else if (status.type === 'error') log.warn({ err: status.error }, 'nats');
        }
      })();
    },
    (err: unknown) => {
      log.error({ err }, 'cannot connect to nats');
    },
  );
  return {
    connected,
    dependency: {
      name: 'nats',
      needed: false,
      check: async () => {
        if (!connection) throw new Error('not connected yet');
        await connection.rtt();
      },
    },
    close: async () => {
      closed = true;
      await connection?.close();
    },
  };
}
