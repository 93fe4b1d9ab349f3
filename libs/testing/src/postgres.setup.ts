import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '@esd/dev-stack/child';
import { embeddedPostgres } from '@esd/dev-stack/postgres';
import { measureServer } from './test-profile.ts';

/** Starts the PostgreSQL server that the tests of a run share (see servers.ts). jest calls it before the first test. */
export default async function setUp(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'esd-postgres-'));
  await mkdir(join(dataDir, 'logs'));
  const { spec, adminUrl } = await embeddedPostgres({
    dataDir,
    password: randomBytes(16).toString('hex'),
    durable: false,
  });
  const ignore = (): void => undefined;
  const server = new Child(spec, ignore, ignore);
  await server.start(AbortSignal.timeout(120_000));
  process.env['ESD_TEST_PG_URL'] = adminUrl;
  measureServer('PostgreSQL of the services', () => (server.pid === undefined ? [] : [server.pid]));
  stopPostgres = async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

let stopPostgres = (): Promise<void> => Promise.resolve();

export const tearDown = (): Promise<void> => stopPostgres();
