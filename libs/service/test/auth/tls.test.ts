import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { get } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { type CertificateFiles, makeCertificates } from '@esd/testing/certificates';
import { namedPeer } from '@esd/testing/peers';
import { readTls, type Tls, watchedCertificate } from '../../src/auth/tls.ts';
import { watchReadiness } from '../../src/health/readiness.ts';
import { startInternalHttp } from '../../src/http/internal-http.ts';
import { rpcClient } from '../../src/rpc/rpc-client.ts';
import { startRpcServer } from '../../src/rpc/rpc-server.ts';

const log = pino({ level: 'silent' });

let folder: string;
let ours: CertificateFiles;
let theirs: CertificateFiles;
let elsewhere: CertificateFiles;
const closing: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-tls-'));
  ours = await makeCertificates(folder, 'ours');
  theirs = await makeCertificates(folder, 'theirs');
  elsewhere = await makeCertificates(folder, 'elsewhere', ['DNS:elsewhere.example']);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const settingsOf = ({ cert, key, ca }: CertificateFiles) => ({
  ESD_TLS_CERT_FILE: cert,
  ESD_TLS_KEY_FILE: key,
  ESD_TLS_CA_FILE: ca,
});

function tlsOf(files: CertificateFiles): Tls {
  const tls = readTls(settingsOf(files));
  if (!tls) throw new Error('missing certificates');
  return tls;
}

describe('the settings', () => {
  test('mean plain text if they are not set', () => {
    expect(readTls({})).toBeUndefined();
    expect(readTls({ ESD_TLS_CERT_FILE: '' })).toBeUndefined();
  });

  test('must name readable and consistent files', () => {
    const missing = { ...settingsOf(ours), ESD_TLS_CERT_FILE: join(folder, 'nowhere') };
    expect(() => readTls(missing)).toThrow(/^ESD_TLS_CERT_FILE must name a readable PEM file .*ENOENT/);
    expect(() => readTls({ ...settingsOf(ours), ESD_TLS_CA_FILE: ours.key })).toThrow(/^ESD_TLS_CA_FILE must/);
    expect(() => readTls({ ...settingsOf(ours), ESD_TLS_KEY_FILE: theirs.key })).toThrow(/^ESD_TLS_KEY_FILE must/);
  });

  test('must match the scheme of the URLs', () => {
    const http = { ESD_MEDIA_HTTP: ['http://media-svc:8081'] };
    const https = { ESD_MEDIA_HTTP: ['https://media-svc:8081'] };
    expect(readTls({}, http)).toBeUndefined();
    expect(readTls(settingsOf(ours), https)).toBeDefined();
    expect(() => readTls(settingsOf(ours), http)).toThrow(/^ESD_MEDIA_HTTP must begin with https:\/\/ because/);
    expect(() => readTls({}, https)).toThrow(/^ESD_MEDIA_HTTP must begin with http:\/\/ unless/);
  });

  test('cause a warning before the certificate expires', async () => {
    expect(watchedCertificate(undefined)).toEqual([]);
    const [watched] = watchedCertificate(tlsOf(ours));
    expect(await watched?.check()).toMatch(/expires at 2\d{3}-.*; renew it/);
  });
});

/** Returns the result of a gRPC call to a server with the certificate `serving` from a client with `calling`. */
async function callOver(serving: Tls | undefined, calling: Tls | undefined, host: string): Promise<string> {
  const server = await startRpcServer({
    listen: { host: '127.0.0.1', port: 0 },
    services: [],
    guard: () => ({ peer: 'gateway', caller: undefined }),
    log,
    tls: serving,
  });
  closing.push(() => server.drain(1));
  const client = rpcClient(DatasetServiceService, {
    service: 'dataset-svc',
    target: `${host}:${server.port}`,
    serviceAssertions: namedPeer('gateway'),
    tls: calling,
    timeoutMs: 60_000,
  });
  closing.push(() => {
    client.channel.close();
  });
  try {
    await client.getHead({ atLeast: undefined }, { requestId: 'r' });
    return 'answered';
  } catch (error) {
    return error instanceof Error && Error.isError(error.cause) ? error.cause.message : String(error);
  }
}

describe('gRPC', () => {
  test.each(['dns:///localhost', 'ipv4:127.0.0.1'])('at %s is trusted by our authority', async (host) => {
    expect(await callOver(tlsOf(ours), tlsOf(ours), host)).toContain('UNIMPLEMENTED');
  });

  test.each([
    ['a certificate of another authority', () => [tlsOf(theirs), tlsOf(ours)], /unable to verify|self-signed/],
    ['a certificate for another host', () => [tlsOf(elsewhere), tlsOf(elsewhere)], /does not match certificate/],
    ['plain text where TLS is expected', () => [undefined, tlsOf(ours)], /wrong version number|packet length/],
    ['a client without TLS', () => [tlsOf(ours), undefined], /UNAVAILABLE/],
  ] as const)('%s is rejected', async (_, sides, why) => {
    const [serving, calling] = sides();
    expect(await callOver(serving, calling, 'dns:///localhost')).toMatch(why);
  });
});

describe('the internal HTTP port', () => {
  async function serve(tls: Tls | undefined) {
    const readiness = watchReadiness([], log);
    const http = await startInternalHttp({ host: '127.0.0.1', port: 0 }, readiness, undefined, tls);
    closing.push(async () => {
      readiness.stop();
      await http.drain(1);
    });
    return http;
  }

  const statusOf = (url: string, ca: Buffer): Promise<string> =>
    new Promise((resolve) => {
      get(url, { ca, agent: false }, (response) => {
        response.resume();
        resolve(String(response.statusCode));
      }).on('error', (error) => {
        resolve(error.message);
      });
    });

  test('accepts HTTPS only, also for /health, /ready and /metrics', async () => {
    const { port } = await serve(tlsOf(ours));
    const ca = await readFile(ours.ca);
    for (const path of ['health', 'ready', 'metrics']) {
      expect([path, await statusOf(`https://localhost:${port}/${path}`, ca)]).toEqual([path, '200']);
    }
    await expect(fetch(`http://localhost:${port}/health`)).rejects.toThrow();
    expect(await statusOf(`https://localhost:${port}/health`, await readFile(theirs.ca))).toMatch(/unable to verify/);
  });

  test('drains in time while a connection waits for its handshake', async () => {
    const http = await serve(tlsOf(ours));
    expect(await statusOf(`https://localhost:${http.port}/health`, await readFile(ours.ca))).toBe('200');
    const silent = connect(http.port, '127.0.0.1').on('error', () => undefined);
    await new Promise((resolve) => silent.once('connect', resolve));
    await http.drain(1);
    silent.destroy();
  });
});
