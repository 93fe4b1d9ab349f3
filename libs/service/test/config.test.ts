import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { listenAddress, natsSettings, processSettings, readConfig, rpcServerSettings } from '../src/config.ts';

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

test('one error names every missing or invalid setting, without its value', () => {
  const read = () =>
    readConfig(
      { ...processSettings, ...rpcServerSettings, ...natsSettings },
      { ESD_SERVICE_PRIVATE_KEYS: 'hunter2', ESD_PEER_PUBLIC_KEYS: '{}' },
    );
  expect(read).toThrow(/ESD_SERVICE_PRIVATE_KEYS.*ESD_PEER_PUBLIC_KEYS.*ESD_ASSERTION_PUBLIC_KEYS.*ESD_NATS_URL/s);
  expect(read).not.toThrow(/hunter2/);
});

test.each([
  ...['0', '1001', '2.5', 'many', ''].map((value) => ['ESD_UPSTREAM_CONCURRENCY', value] as const),
  ...['-1', '10001', 'long'].map((value) => ['ESD_UPSTREAM_WAIT_MS', value] as const),
])('the error names %s if its value is "%s"', (name, value) => {
  const { [name]: setting } = processSettings;
  expect(() => readConfig({ [name]: setting }, { [name]: value })).toThrow(new RegExp(`${name}: `));
  expect(readConfig({ [name]: setting }, {})[name]).toBeGreaterThan(0);
});

test('defaults apply to missing settings', () => {
  const config = readConfig({ ESD_LOG_LEVEL: processSettings.ESD_LOG_LEVEL }, {});
  expect(config.ESD_LOG_LEVEL).toBe('info');
  expect(z.object({ a: rpcServerSettings.ESD_GRPC_LISTEN }).parse({}).a).toEqual({ host: '0.0.0.0', port: 50051 });
});
