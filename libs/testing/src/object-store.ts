import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '@esd/dev-stack/child';
import { embeddedObjectStore } from '@esd/dev-stack/object-store';

export interface TestObjectStore {
  config: {
    ESD_S3_ENDPOINT: string;
    ESD_S3_ACCESS_KEY: string;
    ESD_S3_SECRET_KEY: string;
    ESD_S3_BUCKET: string;
  };
  /** Stops the server and keeps its objects. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and deletes its objects. */
  dispose(): Promise<void>;
}

export async function startObjectStore(): Promise<TestObjectStore> {
  const dataDir = await mkdtemp(join(tmpdir(), 'esd-objects-'));
  await mkdir(join(dataDir, 'logs'));
  const [accessKey, secretKey] = [randomBytes(8).toString('hex'), randomBytes(16).toString('hex')];
  const bucket = 'test';
  const { spec, endpoint } = await embeddedObjectStore({
    dataDir,
    keys: [{ buckets: [bucket], accessKey, secretKey }],
  });
  const ignore = (): void => undefined;
  const child = new Child(spec, ignore, ignore);
  const start = (): Promise<void> => child.start(AbortSignal.timeout(120_000));
  await start();
  return {
    config: {
      ESD_S3_ENDPOINT: endpoint,
      ESD_S3_ACCESS_KEY: accessKey,
      ESD_S3_SECRET_KEY: secretKey,
      ESD_S3_BUCKET: bucket,
    },
    stop: () => child.stop(),
    start,
    dispose: async () => {
      await child.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
