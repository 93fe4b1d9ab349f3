import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get as httpGet } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { DatasetServiceService, type ScanRecordsResponse } from '@esd/proto/esd/dataset/v1/dataset';
import { ServiceError } from '@esd/service/errors';
import { startInternalHttp } from '@esd/service/internal-http';
import { watchReadiness } from '@esd/service/readiness';
import { METADATA } from '@esd/service/rpc-metadata';
import { rpcClient } from '@esd/service/rpc-client';
import { type CallContext, rpcService, startRpcServer } from '@esd/service/rpc-server';
import { bytePort } from '../src/byte-port.ts';
import { exportDataset } from '../src/export/export-dataset.ts';

const TOKEN = 'a-service-token-of-a-test';
const HASH = createHash('sha256').update(TOKEN).digest('hex');
const PROOF = { [METADATA.service]: 'gateway', [METADATA.serviceToken]: TOKEN, [METADATA.requestId]: 'id-1' };
const PATH = '/public/dataset/export?format=json';
const log = pino({ level: 'silent' });

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Scan = (context: CallContext) => AsyncIterable<ScanRecordsResponse>;

const state = (recordCount: number): ScanRecordsResponse => ({
  part: { $case: 'state', value: { datasetId: 'one', revision: 7, recordCount } },
  matching: recordCount,
});
const chunk = (...records: string[]): ScanRecordsResponse => ({
  part: { $case: 'records', value: { recordsJson: records.map((record) => Buffer.from(record)) } },
  matching: 0,
});

/** The byte port before a real gRPC server that answers scans as the test says, one way for each copy. */
async function startExport(...scans: Scan[]): Promise<string> {
  const addresses: string[] = [];
  for (const scan of scans) {
    const server = await startRpcServer({
      listen: { host: '127.0.0.1', port: 0 },
      services: [
        rpcService(DatasetServiceService, {
          getHead: () => Promise.reject(new Error('not asked in this test')),
          explainFilter: () => Promise.reject(new Error('not asked in this test')),
          getFeatureRanges: () => Promise.reject(new Error('not asked in this test')),
          queryRecords: () => Promise.reject(new Error('not asked in this test')),
          scanRecords: (_request, context) => scan(context),
        }),
      ],
      peers: new Map([['export-svc', HASH]]),
      verifyAssertion: () => {
        throw new Error('nobody calls in this test');
      },
      log,
    });
    closing.push(() => server.drain(0.1));
    addresses.push(`127.0.0.1:${server.port}`);
  }
  const dataset = rpcClient(DatasetServiceService, {
    target: `ipv4:${addresses.join(',')}`,
    service: 'export-svc',
    serviceToken: TOKEN,
  });
  const readiness = watchReadiness([], log);
  const http = await startInternalHttp(
    { host: '127.0.0.1', port: 0 },
    readiness,
    bytePort({ '/public/dataset/export': exportDataset(dataset) }, new Map([['gateway', HASH]]), log),
  );
  closing.push(async () => {
    await http.drain(0.1);
    readiness.stop();
    dataset.channel.close();
  });
  return `http://127.0.0.1:${http.port}`;
}

async function* three(): AsyncGenerator<ScanRecordsResponse> {
  yield await Promise.resolve(state(3));
  yield chunk('{"recordId":1,"x":1.50}', '{"recordId": 2}');
  yield chunk('{"recordId":3}');
}

const ask = (url: string, headers = {}, method = 'GET') => fetch(url, { method, headers: { ...PROOF, ...headers } });

describe('the json export', () => {
  test('is a bare array of the records as they are', async () => {
    const answer = await ask((await startExport(three)) + PATH);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(JSON.parse(text)).toEqual([{ recordId: 1, x: 1.5 }, { recordId: 2 }, { recordId: 3 }]);
    expect(text).toContain('{"recordId":1,"x":1.50}');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="electrospinning-dataset-latest-r7.json"',
      'cache-control': 'no-cache',
      etag: '"one.7.json"',
    });
  });

  test('as csv has a line for each record under the flattened columns', async () => {
    const answer = await ask((await startExport(three)) + PATH.replace('json', 'csv'));
    expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(answer.headers.get('content-disposition')).toContain('-r7.csv"');
    const lines = (await answer.text()).split('\r\n');
    expect(lines[0]).toMatch(/^doi,experiment_id,is_polymer_blend,/);
    expect(lines.slice(1, -1).map((line) => line.split(',')[1])).toEqual(['1', '2', '3']);
    expect(lines.at(-1)).toBe('');
  });

  test('of an empty dataset is an empty array', async () => {
    const empty = async function* () {
      yield await Promise.resolve(state(0));
    };
    expect(await (await ask((await startExport(empty)) + PATH)).json()).toEqual([]);
  });

  test('is not sent again to whoever holds it, and HEAD gives the headers alone; both end the scan', async () => {
    let ended = 0;
    const scan = async function* ({ signal }: CallContext) {
      yield state(1);
      await once(signal, 'abort');
      ended += 1;
    };
    const url = (await startExport(scan)) + PATH;
    const held = await ask(url, { 'if-none-match': 'W/"one.7.json"' });
    expect([held.status, await held.text(), held.headers.get('etag')]).toEqual([304, '', '"one.7.json"']);
    const head = await ask(url, {}, 'HEAD');
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', '"one.7.json"']);
    await sleep(100);
    expect(ended).toBe(2);
  });

  test.each<[string, Scan]>([
    [
      'breaks off',
      async function* () {
        yield await Promise.resolve(state(3));
        yield chunk('{"recordId":1}');
        await sleep(20);
        throw new ServiceError('UNAVAILABLE', 'the database is away');
      },
    ],
    [
      'ends without all records',
      async function* () {
        yield await Promise.resolve(state(3));
        yield chunk('{"recordId":1}', '{"recordId":2}');
      },
    ],
    [
      'has too many records',
      async function* () {
        yield await Promise.resolve(state(1));
        yield chunk('{"recordId":1}', '{"recordId":2}');
      },
    ],
  ])('never looks whole when the scan %s', async (_, scan) => {
    const answer = await ask((await startExport(scan)) + PATH);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  test('that cannot begin is an error with its body', async () => {
    const away = async function* () {
      yield await Promise.reject<ScanRecordsResponse>(new ServiceError('UNAVAILABLE', 'the database is away'));
    };
    const answer = await ask((await startExport(away)) + PATH);
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('etag')]).toEqual([503, '1', null]);
    expect(await answer.json()).toMatchObject({ success: false, code: 'UNAVAILABLE', requestId: 'id-1' });
  });

  test('is begun again at another copy when one fails', async () => {
    let failed = 0;
    const away = async function* () {
      failed += 1;
      yield await Promise.reject<ScanRecordsResponse>(new ServiceError('UNAVAILABLE', 'not now'));
    };
    const url = (await startExport(away, three)) + PATH;
    // Until both copies are connected, there may be only the failing one.
    while ((await ask(url)).status !== 200) expect(failed).toBeLessThan(100);
    failed = 0;
    for (let call = 0; call < 4; call++) expect((await ask(url)).status).toBe(200);
    expect(failed).toBeGreaterThan(0);
  });

  test('goes at the reader’s pace, and ends the scan when the reader goes', async () => {
    const record = JSON.stringify({ text: 'x'.repeat(10_000) });
    let sent = 0;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const endless = async function* ({ signal }: CallContext) {
      signal.addEventListener('abort', () => {
        resolve();
      });
      yield await Promise.resolve(state(1_000_000));
      for (; sent < 1_000_000; sent += 10) yield chunk(...Array<string>(10).fill(record));
    };
    const url = (await startExport(endless)) + PATH;
    const request = httpGet(url, { headers: PROOF }).on('error', () => undefined);
    await once(request, 'response');
    await sleep(1_000);
    const held = sent;
    // The windows and buffers on the way hold some megabytes.
    expect(held * record.length).toBeLessThan(60_000_000);
    await sleep(500);
    expect(sent).toBe(held);
    request.destroy();
    await ended;
  });
});

test.each([
  ['', 501, 'NOT_IMPLEMENTED'],
  ['?format=xlsx', 501, 'NOT_IMPLEMENTED'],
  ['?format=zip', 501, 'NOT_IMPLEMENTED'],
  ['?format=parquet', 400, 'INVALID_PARAMETER'],
  ['?format=json&filter=', 400, 'INVALID_FILTER'],
  ['?format=json&filter=%7B%22volt%22%3A1%7D', 400, 'INVALID_FILTER'],
  ['?format=json&version=v1.0.0', 501, 'NOT_IMPLEMENTED'],
])('an export with "%s" is %p', async (query, status, code) => {
  const answer = await ask(`${await startExport(three)}/public/dataset/export${query}`);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ success: false, code, requestId: 'id-1' });
});

test('version=latest is what no version is', async () => {
  expect((await ask(`${await startExport(three)}${PATH}&version=latest`)).status).toBe(200);
});

test.each([
  [{ [METADATA.serviceToken]: 'wrong' }, PATH, 'GET', 500],
  [{ [METADATA.service]: 'media-svc' }, PATH, 'GET', 500],
  [{}, '/nothing', 'GET', 404],
  [{}, '/__proto__', 'GET', 404],
  [{}, PATH, 'POST', 405],
])('%p %s %s is %p', async (headers, path, method, status) => {
  const answer = await ask((await startExport(three)) + path, headers, method);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ success: false });
});
