import { writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { serverBinary } from './binaries.ts';
import type { ChildSpec } from './child.ts';
import { reserveFreePort, type ReservedPort } from './free-port.ts';
import { serverEnvironment } from './server-environment.ts';

type Subjects = { allow: string[] } | { deny: string[] };
export interface NatsPermissions {
  publish: Subjects;
  subscribe: Subjects;
}
/** A NATS user. Without `permissions` it has full access. */
export interface NatsUser {
  user: string;
  password: string;
  permissions?: NatsPermissions;
}

/** The place of a server in a cluster. */
export interface NatsClusterMember {
  serverName: string;
  /** The port for the other members. */
  port: ReservedPort;
  /** The URLs of all members, nats-route://host:port. */
  routes: string[];
}

/**
 * Prepares a NATS server with JetStream, alone or in a cluster. Stores data in `dataDir/nats` and syncs each message before
 * the acknowledgment.
 */
export async function embeddedNats(options: {
  dataDir: string;
  users: NatsUser[];
  cluster?: NatsClusterMember;
}): Promise<{ spec: ChildSpec; url: string }> {
  const { dataDir, users, cluster } = options;
  const reserved = await reserveFreePort();
  const { port } = reserved;
  const file = join(dataDir, 'nats.conf');
  // The server's configuration format is a superset of JSON.
  const configuration = {
    listen: `127.0.0.1:${port}`,
    server_name: cluster?.serverName ?? 'esd',
    ...(cluster && { cluster: { name: 'esd', listen: `127.0.0.1:${cluster.port.port}`, routes: cluster.routes } }),
    jetstream: { store_dir: join(dataDir, 'nats'), sync_interval: 'always', max_memory_store: 64 * 1024 * 1024 },
    authorization: { users },
  };
  await writeFile(file, JSON.stringify(configuration, null, 2), { mode: 0o600 });
  return {
    url: `nats://127.0.0.1:${port}`,
    spec: {
      name: 'nats',
      tier: 'server',
      ports: cluster ? [reserved, cluster.port] : [reserved],
      command: serverBinary('nats-server'),
      args: ['-c', file],
      cwd: dataDir,
      env: serverEnvironment(dataDir),
      logFile: join(dataDir, 'logs', 'nats.log'),
      stopSignal: 'SIGTERM',
      graceSeconds: 10,
      probe: () => greets(port),
    },
  };
}

/** Reports whether the server sends its INFO line, which it does once its streams are recovered. */
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1', timeout: 1_000 });
    const answer = (ready: boolean): void => {
      socket.destroy();
      resolve(ready);
    };
    socket.once('data', (data) => answer(data.toString('latin1').startsWith('INFO ')));
    socket.once('timeout', () => answer(false));
    socket.once('error', () => answer(false));
    socket.once('close', () => answer(false));
  });
}
