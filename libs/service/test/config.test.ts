import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { newSigningKey, signingKeySets } from '@esd/dev-stack/signing-key';
import {
  databaseSettings,
  listenAddress,
  natsSettings,
  processSettings,
  readConfig,
  rpcServerSettings,
  type SettingsCheck,
  SettingsError,
} from '../src/config.ts';

test.each([
  ['8080', { host: undefined, port: 8080 }],
  ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
  ['[::1]:50051', { host: '::1', port: 50051 }],
])('%s is an address', (text, expected) => {
  expect(listenAddress.parse(text)).toEqual(expected);
});

test.each(['', 'host', '1:99999', '1:-1', '1:x'])('"%s" is not an address', (text) => {
  expect(listenAddress.safeParse(text).success).toBe(false);
});

const [publicSet, privateSet] = [signingKeySets(newSigningKey()).publicSet, signingKeySets(newSigningKey()).privateSet];
const complete = {
  ESD_SERVICE_PRIVATE_KEYS: privateSet,
  ESD_PEER_PUBLIC_KEYS: publicSet,
  ESD_ASSERTION_PUBLIC_KEYS: publicSet,
  ESD_DATABASE_URL: 'postgres://esd@postgres/esd',
  ESD_NATS_URL: 'nats://nats:4222',
  ESD_NATS_USER: 'test',
  ESD_NATS_PASSWORD: 'none',
};
const shape = { ...processSettings, ...rpcServerSettings, ...databaseSettings, ...natsSettings };

/** Returns the lines of the error that an environment causes, without the first one. */
function problems(environment: NodeJS.ProcessEnv, checks?: readonly SettingsCheck[]): string[] {
  try {
    readConfig(shape, environment, checks);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message.split('\n  ').slice(1);
  }
  return [];
}

test('a complete environment has no problem', () => {
  expect(problems(complete)).toEqual([]);
});

test('one error lists every missing setting with its description', () => {
  const lines = problems({});
  expect(lines.map((line) => line.split(' ')[0])).toEqual(Object.keys(complete));
  for (const line of lines) expect(line).toMatch(/^ESD_[A-Z_]+ is missing\. [A-Z].*\.$/);
  expect(lines.at(-1)).toBe('ESD_NATS_PASSWORD is missing. Secret. Password of the NATS user.');
});

test.each([
  ['ESD_DATABASE_CONNECTIONS', 'many', 'must be a number.'],
  ['ESD_DATABASE_CONNECTIONS', '1', 'must be at least 2.'],
  ['ESD_SHUTDOWN_SECONDS', '0', 'must be more than 0.'],
  ['ESD_MIGRATE', 'on', 'must be auto or off.'],
  ['ESD_HTTP_LISTEN', 'nowhere', 'must be host:port or a port.'],
  ['ESD_DATABASE_URL', 'mysql://hunter2@db', 'has the wrong format.'],
  ['ESD_SERVICE_PRIVATE_KEYS', 'hunter2', 'must be a JWK set'],
  ['ESD_SERVICE_PRIVATE_KEYS', '{"keys":[]}', 'must be a JWK set'],
  ['ESD_PEER_PUBLIC_KEYS', '{}', 'must be a JWK set'],
])('%s=%s is described in plain words and without its value', (name, value, problem) => {
  const lines = problems({ ...complete, [name]: value });
  expect(lines).toEqual([expect.stringMatching(`^${name} ${problem}`)]);
  expect(lines.join()).not.toMatch(/hunter2|Invalid|expected/);
});

test.each([
  ['a public key', publicSet],
  ['a private key without its point', privateSet.replace(/"x":"..../, '"x":"AAAA')],
])('%s does not sign', (_, value) => {
  const lines = problems({ ...complete, ESD_SERVICE_PRIVATE_KEYS: value });
  expect(lines).toEqual([expect.stringMatching('^ESD_SERVICE_PRIVATE_KEYS must be a JWK set')]);
});

test('settings that depend on each other are listed together with the others', () => {
  const check: SettingsCheck = ({ ESD_NATS_USER: user }) =>
    user === 'test' ? undefined : 'ESD_NATS_USER must be test.';
  const { ESD_NATS_PASSWORD: _, ...rest } = complete;
  const lines = problems({ ...rest, ESD_TLS_KEY_FILE: 'key', ESD_TLS_CA_FILE: '', ESD_NATS_USER: 'other' }, [check]);
  expect(lines).toEqual([
    expect.stringContaining('ESD_NATS_PASSWORD is missing.'),
    'ESD_TLS_CERT_FILE and ESD_TLS_CA_FILE must be set, because ESD_TLS_KEY_FILE is set.',
    'ESD_NATS_USER must be test.',
  ]);
});

test.each([
  ...['0', '1001', '2.5', 'many', ''].map((value) => ['ESD_UPSTREAM_CONCURRENCY', value] as const),
  ...['-1', '10001', 'long'].map((value) => ['ESD_UPSTREAM_WAIT_MS', value] as const),
])('the error names %s if its value is "%s"', (name, value) => {
  const { [name]: setting } = processSettings;
  expect(() => readConfig({ [name]: setting }, { [name]: value })).toThrow(new RegExp(`${name} must be`));
  expect(readConfig({ [name]: setting }, {})[name]).toBeGreaterThan(0);
});

test('defaults apply to missing settings', () => {
  const config = readConfig({ ESD_LOG_LEVEL: processSettings.ESD_LOG_LEVEL }, {});
  expect(config.ESD_LOG_LEVEL).toBe('info');
  expect(z.object({ a: rpcServerSettings.ESD_GRPC_LISTEN }).parse({}).a).toEqual({ host: undefined, port: 50051 });
});

test.each(['0', '2', '7', '-1', '3.5', 'three', ''])('ESD_STREAM_REPLICAS=%s is refused by name', (value) => {
  const nats = { ESD_NATS_URL: 'nats://127.0.0.1:4222', ESD_NATS_USER: 'u', ESD_NATS_PASSWORD: 'p' };
  expect(() => readConfig(natsSettings, { ...nats, ESD_STREAM_REPLICAS: value })).toThrow(
    'ESD_STREAM_REPLICAS must be 1, 3 or 5',
  );
});

test.each([
  [undefined, 1],
  ['1', 1],
  ['3', 3],
  ['5', 5],
])('ESD_STREAM_REPLICAS=%s gives the stream %s replicas', (value, expected) => {
  expect(natsSettings.ESD_STREAM_REPLICAS.parse(value)).toBe(expected);
});
