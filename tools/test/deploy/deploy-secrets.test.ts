import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { completeEnvFile, readEnvFile, writeEnvFile } from '../../deploy/env-file.ts';
import { kubernetesSecrets } from '../../deploy/kubernetes-secrets.ts';
import { natsConfiguration, natsFile } from '../../deploy/nats-configuration.ts';
import { completeSecrets } from '../../deploy/secret-values.ts';
import { array, member } from '@esd/dev-stack/json-value';
import { serverBinary } from '@esd/dev-stack/binaries';
import { services } from '@esd/dev-stack/service-table';

const run = promisify(execFile);
const made = completeSecrets(new Map());

describe('secrets', () => {
  test('are unique and too long to guess', () => {
    const secrets = [...made].filter(([name]) => /PASSWORD|SECRET|ACCESS_KEY|ORIGIN_KEY|BOOTSTRAP/.test(name));
    expect(secrets.length).toBeGreaterThan(18);
    for (const [name, value] of secrets) expect([name, value.length >= 43]).toEqual([name, true]);
    expect(new Set(secrets.map(([, value]) => value)).size).toBe(secrets.length);
    expect(completeSecrets(new Map()).get('POSTGRES_PASSWORD')).not.toBe(made.get('POSTGRES_PASSWORD'));
  });

  test('keep known values through the file, and derive the public keys again', () => {
    const known = new Map([...made, ['ESD_PUBLIC_URL', 'https://esd.example.org'], ['ESD_PEER_PUBLIC_KEYS', 'stale']]);
    known.delete('ESD_SERVICE_PRIVATE_KEYS_MEDIA');
    known.delete('ESD_ORIGIN_KEY');
    const again = completeSecrets(readEnvFile(writeEnvFile(known)));
    const [key] = keys(again.get('ESD_SERVICE_PRIVATE_KEYS_MEDIA'));
    const { d: _, ...open } = { d: '', ...key };
    expect(Object.fromEntries(again)).toEqual({
      ...Object.fromEntries(known),
      ESD_SERVICE_PRIVATE_KEYS_MEDIA: expect.any(String),
      ESD_ORIGIN_KEY: expect.stringMatching(/^[\w-]{43}$/),
      ESD_PEER_PUBLIC_KEYS: expect.stringContaining(JSON.stringify(open)),
    });
  });

  test('include a key per process, which names its owner and is among the public keys', () => {
    const known = keys(made.get('ESD_PEER_PUBLIC_KEYS'));
    expect(known.map((key) => String(member(key, 'kid')).split(':')[0])).toEqual(services.map(({ name }) => name));
    for (const key of known) expect(key).not.toHaveProperty('d');
  });

  test('a completed .env keeps its comments, its order and its values', () => {
    const text =
      '# Ours\nESD_PORT=127.0.0.1:9000\nESD_LIMIT_READS=1200 # twice\n\nPOSTGRES_PASSWORD=\nexport ESD_PEER_PUBLIC_KEYS=stale';
    const completed = completeEnvFile(text);
    expect(completed.startsWith('# Ours\nESD_PORT=127.0.0.1:9000\nESD_LIMIT_READS=1200 # twice\n\n')).toBe(true);
    expect(completed.match(/^(export )?ESD_PEER_PUBLIC_KEYS=/gm)).toHaveLength(1);
    const values = readEnvFile(completed);
    expect([...values.keys()]).toEqual(expect.arrayContaining([...made.keys()]));
    expect(values.get('POSTGRES_PASSWORD')).toMatch(/^[\w-]{43}$/);
    expect(values.get('ESD_PUBLIC_URL')).toBe('http://localhost:9000');
    expect(completeEnvFile(completed)).toBe(completed);
  });

  test('ESD_PUBLIC_URL is preserved, and by default derived from ESD_PORT', () => {
    const url = (text: string) => readEnvFile(completeEnvFile(text)).get('ESD_PUBLIC_URL');
    expect(url('ESD_PUBLIC_URL=https://esd.example.org\n')).toBe('https://esd.example.org');
    expect(url('ESD_PORT=8080-8082')).toBe('http://localhost:8080');
    expect(url('')).toBe('http://localhost:8080');
  });

  test('the public keys are those of the private keys, without the private part', () => {
    const [signing] = keys(made.get('ESD_ASSERTION_PRIVATE_KEYS'));
    const [verifying] = keys(made.get('ESD_ASSERTION_PUBLIC_KEYS'));
    expect(signing).toEqual({ ...verifying, d: expect.any(String) });
    expect(verifying).not.toHaveProperty('d');
    expect(made.get('ESD_SESSION_PRIVATE_KEYS')).not.toBe(made.get('ESD_ASSERTION_PRIVATE_KEYS'));
  });

  test('any value without line breaks and quotes survives a round trip through the file', () => {
    const value = fc.string({ unit: 'grapheme' }).filter((text) => !/['\n\r\u2028\u2029\0]/.test(text));
    fc.assert(
      fc.property(value, (text) => {
        expect(readEnvFile(writeEnvFile(new Map([['ESD_X', text]]))).get('ESD_X')).toBe(text);
      }),
    );
    expect(() => writeEnvFile(new Map([['ESD_X', "it's"]]))).toThrow('ESD_X');
  });
});

describe('Secrets of Kubernetes', () => {
  const secrets = kubernetesSecrets(made, { address: 'db.example.org:5432', parameters: 'sslmode=verify-full' });
  const of = (name: string) => secrets.find(({ metadata }) => metadata.name === name)?.stringData ?? {};

  test('give each process only its own secrets', () => {
    const own = ['ESD_SERVICE_PRIVATE_KEYS'];
    expect(Object.keys(of('esd-gateway'))).toEqual(own);
    expect(Object.keys(of('esd-dataset-svc'))).toEqual([...own, 'ESD_NATS_PASSWORD', 'ESD_DATABASE_URL']);
    expect(of('esd-media-svc')['ESD_S3_SECRET_KEY']).toBe(made.get('ESD_S3_SECRET_KEY_MEDIA'));
    const keysOf = secrets.filter(({ stringData }) => 'ESD_SERVICE_PRIVATE_KEYS' in stringData);
    expect(new Set(keysOf.map(({ stringData }) => stringData['ESD_SERVICE_PRIVATE_KEYS'])).size).toBe(services.length);
    expect(Object.keys(of('esd-media-svc'))).toContain('ESD_S3_SECRET_KEY');
    const holders = secrets.filter(({ stringData }) => 'ESD_ORIGIN_KEY' in stringData);
    expect(holders.map(({ metadata }) => metadata.name)).toEqual(['esd-submission-svc']);
    const signers = secrets.filter(({ stringData }) => 'ESD_SESSION_PRIVATE_KEYS' in stringData);
    expect(signers.map(({ metadata }) => metadata.name)).toEqual(['esd-identity-svc']);
  });

  test('require TLS with a verified certificate for PostgreSQL by default', () => {
    const script = join(import.meta.dirname, '../../deploy/secrets.ts');
    const input = writeEnvFile(made);
    const make = (...args: string[]) =>
      spawnSync(process.execPath, [script, 'kubernetes', '--postgres', 'db:1', ...args], { input, encoding: 'utf8' })
        .stdout;
    expect(make()).toContain('@db:1/esd_media?sslmode=verify-full"');
    expect(make('--postgres-parameters', '')).toContain('@db:1/esd_media"');
  });

  test('contain the URL of the database', () => {
    const password = made.get('ESD_DATABASE_PASSWORD_MEDIA') ?? '';
    expect(of('esd-media-svc')['ESD_DATABASE_URL']).toBe(
      `postgres://esd_media:${password}@db.example.org:5432/esd_media?sslmode=verify-full`,
    );
  });
});

describe('the configuration of NATS', () => {
  test('is up to date (if not, run npm run deploy:nats)', async () => {
    expect(await readFile(natsFile, 'utf8')).toBe(natsConfiguration());
  });

  test('is valid for the server with all passwords, and invalid if one is missing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'esd-nats-'));
    const file = join(folder, 'nats.conf');
    await writeFile(file, natsConfiguration().replace('"/data"', JSON.stringify(folder)));
    const check = (env: NodeJS.ProcessEnv) => run(serverBinary('nats-server'), ['-t', '-c', file], { env });
    try {
      const env = Object.fromEntries([...made].filter(([name]) => name.startsWith('ESD_NATS_')));
      expect((await check(env)).stderr).toContain('configuration file');
      const { ESD_NATS_PASSWORD_MEDIA: _, ...lacking } = env;
      await expect(check(lacking)).rejects.toThrow('ESD_NATS_PASSWORD_MEDIA');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

function keys(set: string | undefined): object[] {
  const found = array(member(JSON.parse(set ?? '{}'), 'keys'));
  return found.filter((key) => typeof key === 'object' && key !== null);
}
