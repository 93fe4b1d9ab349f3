import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '@esd/dev-stack/child';
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
