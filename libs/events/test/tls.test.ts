import { execFile } from 'node:child_process';
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openDatabase, pingDatabase } from '@esd/service/database/postgres';
import { makeCertificates } from '@esd/testing/certificates';
import { Child } from '@esd/dev-stack/child';
import { embeddedNats } from '@esd/dev-stack/nats';
import { embeddedPostgres } from '@esd/dev-stack/postgres';

const run = promisify(execFile);
const ignore = (): void => undefined;

let folder: string;
const servers: Child[] = [];
let postgresUrl: string;
let natsUrl: string;

async function start(child: Child): Promise<void> {
  servers.push(child);
  await child.start(AbortSignal.timeout(120_000));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-tls-'));
  await mkdir(join(folder, 'logs'));
  for (const name of ['ours', 'theirs']) await makeCertificates(folder, name, ['DNS:localhost']);

  const postgres = await embeddedPostgres({ dataDir: folder, password: 'secret' });
  for (const ending of ['pem', 'key']) {
    const file = join(folder, 'postgres', `server.${ending}`);
    await writeFile(file, await readFile(join(folder, `ours.${ending}`)), { mode: 0o600 });
    if (postgres.spec.user) await chown(file, postgres.spec.user.uid, postgres.spec.user.gid);
  }
  postgres.spec.args.push(
    ...['ssl=on', 'ssl_cert_file=server.pem', 'ssl_key_file=server.key'].flatMap((one) => ['-c', one]),
  );
  postgresUrl = postgres.adminUrl.replace('127.0.0.1', 'localhost');
  await start(new Child(postgres.spec, ignore, ignore));

  const nats = await embeddedNats({ dataDir: folder, users: [{ user: 'test', password: 'secret' }] });
  const file = join(folder, 'nats.conf');
  const configuration: unknown = JSON.parse(await readFile(file, 'utf8'));
  const tls = { cert_file: join(folder, 'ours.pem'), key_file: join(folder, 'ours.key') };
  await writeFile(file, JSON.stringify({ ...Object(configuration), tls }));
  natsUrl = nats.url.replace('127.0.0.1', 'localhost');
  await start(new Child(nats.spec, ignore, ignore));
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('PostgreSQL', () => {
  const ping = async (query: string): Promise<string> => {
    const database = openDatabase(`${postgresUrl}?${query}`, 1, pino({ level: 'silent' }));
    try {
      await pingDatabase(database);
      return 'answers';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      await database.destroy();
    }
  };

  test('with sslmode=verify-full and the trusted authority is accepted', async () => {
    expect(await ping(`sslmode=verify-full&sslrootcert=${folder}/ours.ca.pem`)).toBe('answers');
  });

  test.each([
    ['another authority', () => `sslmode=verify-full&sslrootcert=${folder}/theirs.ca.pem`],
    ['no authority', () => 'sslmode=verify-full'],
  ])('with sslmode=verify-full and %s is rejected', async (_, query) => {
    expect(await ping(query())).toMatch(/certificate|self-signed|verify/);
  });
});

describe('NATS', () => {
  /** Connects in a separate process, because Node reads NODE_EXTRA_CA_CERTS only once. */
  async function connect(url: string, authority: string | undefined): Promise<string> {
    const program = `
      import { pino } from 'pino';
      import { openNats } from '@esd/events/nats';
      const config = { ESD_NATS_URL: '${url}', ESD_NATS_USER: 'test', ESD_NATS_PASSWORD: 'secret' };
      const end = (text) => process.stdout.write(text, () => process.exit(0));
      const log = pino({ level: 'debug' }, { write: (line) => end(JSON.parse(line).err.message) });
      await openNats(config, 'test', log).connected;
      end('connected');`;
    const env = { PATH: process.env['PATH'], ...(authority ? { NODE_EXTRA_CA_CERTS: join(folder, authority) } : {}) };
    const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '--eval', program], {
      cwd: join(import.meta.dirname, '..'),
      env,
    });
    return stdout;
  }

  test('at tls:// trusts the authority in NODE_EXTRA_CA_CERTS', async () => {
    expect(await connect(natsUrl.replace('nats://', 'tls://'), 'ours.ca.pem')).toBe('connected');
  });

  test.each(['theirs.ca.pem', undefined])('at tls:// with the authority %s is rejected', async (authority) => {
    expect(await connect(natsUrl.replace('nats://', 'tls://'), authority)).toMatch(/certificate/);
  });
});
