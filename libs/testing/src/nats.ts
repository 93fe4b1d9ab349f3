import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '@esd/dev-stack/child';
import { reserveFreePort } from '@esd/dev-stack/free-port';
import { embeddedNats } from '@esd/dev-stack/nats';

export interface TestNats {
  config: { ESD_NATS_URL: string; ESD_NATS_USER: string; ESD_NATS_PASSWORD: string };
  /** Stops the server and keeps its data. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and deletes its data. */
  dispose(): Promise<void>;
}

/** Starts a private NATS server with JetStream, with one unrestricted user. */
export async function startNats(): Promise<TestNats> {
  const dataDir = await mkdtemp(join(tmpdir(), 'esd-nats-'));
  await mkdir(join(dataDir, 'logs'));
  const password = randomBytes(16).toString('hex');
  const { spec, url } = await embeddedNats({ dataDir, users: [{ user: 'test', password }] });
  const ignore = (): void => undefined;
  const child = new Child(spec, ignore, ignore);
  const start = (): Promise<void> => child.start(AbortSignal.timeout(120_000));
  await start();
  return {
    config: { ESD_NATS_URL: url, ESD_NATS_USER: 'test', ESD_NATS_PASSWORD: password },
    stop: () => child.stop(),
    start,
    dispose: async () => {
      await child.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export interface TestNatsCluster {
  config: TestNats['config'];
  /** The servers by name. A killed server can start again with its data. */
  servers: ReadonlyMap<string, Child>;
  /** Stops the servers and deletes their data. */
  dispose(): Promise<void>;
}

/** Starts three NATS servers with JetStream as one cluster, with one unrestricted user. */
export async function startNatsCluster(): Promise<TestNatsCluster> {
  const password = randomBytes(16).toString('hex');
  const members = await Promise.all(
    ['nats-1', 'nats-2', 'nats-3'].map(async (serverName) => ({ serverName, port: await reserveFreePort() })),
  );
  const routes = members.map(({ port }) => `nats-route://127.0.0.1:${port.port}`);
  const folder = await mkdtemp(join(tmpdir(), 'esd-nats-'));
  const ignore = (): void => undefined;
  const started = await Promise.all(
    members.map(async ({ serverName, port }) => {
      const dataDir = join(folder, serverName);
      await mkdir(join(dataDir, 'logs'), { recursive: true });
      const users = [{ user: 'test', password }];
      const { spec, url } = await embeddedNats({ dataDir, users, cluster: { serverName, port, routes } });
      const server = new Child(spec, ignore, ignore);
      await server.start(AbortSignal.timeout(120_000));
      return { serverName, server, url };
    }),
  );
  return {
    config: {
      ESD_NATS_URL: started.map(({ url }) => url).join(','),
      ESD_NATS_USER: 'test',
      ESD_NATS_PASSWORD: password,
    },
    servers: new Map(started.map(({ serverName, server }) => [serverName, server])),
    dispose: async () => {
      await Promise.all(started.map(({ server }) => server.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
