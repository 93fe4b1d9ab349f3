import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get as httpGet } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { demoDatasetFile } from '@esd/testing/demo';
import type { ScanRecordsResponse } from '@esd/proto/esd/dataset/v1/dataset';
import { ReleaseState } from '@esd/proto/esd/dataset/v1/releases';
import { ExportRequest } from '@esd/proto/esd/export/v1/export';
import { filterToWire } from '@esd/dataset-client/filter-wire';
import { MAX_FILTER_LENGTH, parseFilter } from '@esd/record/filter/parse-filter';
import { RULES } from '@esd/record/rules';
import { ServiceError } from '@esd/service/errors';
import { streamRequestHeader } from '@esd/service/http/stream-request';
import { counter } from '@esd/service/health/metrics';
import { METADATA } from '@esd/service/rpc/rpc-metadata';
import { namedPeer } from '@esd/testing/peers';
import type { CallContext } from '@esd/service/rpc/rpc-server';
import { settled } from '@esd/testing/settled';
import type { Usage } from '../../src/usage/usage.ts';
import { BUILDER } from '../../src/files/writers.ts';
import { startEndpoints } from '../export-endpoints.ts';
import {
  chunk,
  DATASET_ID,
  type DatasetServer,
  openStores,
  type Scan,
  startDataset,
  state,
} from '../dataset-servers.ts';

const PROOF = { ...namedPeer('gateway')(''), [METADATA.requestId]: 'id-1' };
const PATH = '/public/dataset/export?format=json';
const TAG = `${DATASET_ID}.7.json.${BUILDER}.${RULES}`;

let lastUsage: Usage | undefined;
let lastDataset: DatasetServer | undefined;
const stores = await openStores();
afterAll(() => stores.dispose());

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Starts the internal HTTP endpoint with a real gRPC server, one scan per replica. */
async function startExport(...scans: Scan[]): Promise<string> {
  const dataset = await startDataset(...scans);
  lastDataset = dataset;
  const { url, usage, stop } = await startEndpoints(dataset.target, stores);
  lastUsage = usage;
  closing.push(async () => {
    await stop();
    await dataset.stop();
  });
  return url;
}

const downloads = async (): Promise<number> => (await lastUsage?.read())?.downloads ?? 0;

async function* three(): AsyncGenerator<ScanRecordsResponse> {
  yield await Promise.resolve(state(3));
  yield chunk('{"recordId":1,"x":1.50}', '{"recordId": 2}');
  yield chunk('{"recordId":3}');
}

/** Returns the request header of the gateway. */
const requestHeader = (wanted: Partial<ExportRequest>) => ({
  [METADATA.streamRequest]: streamRequestHeader(ExportRequest, {
    format: 'json',
    filterJson: undefined,
    filter: undefined,
    source: undefined,
    counted: false,
    sort: [],
    normalized: false,
    fields: [],
    once: false,
    ...wanted,
  }),
});

/** Returns the filter of a request as the gateway sends it. */
function filtered(text: string | null): Pick<ExportRequest, 'filterJson' | 'filter'> {
  if (text === null) return { filterJson: undefined, filter: undefined };
  const parsed = parseFilter(text);
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  return { filterJson: text, filter: filterToWire(parsed.filter) };
}

/** Returns the header for a query string, which the endpoint itself ignores. */
function headersFor(url: string) {
  const query = new URL(url).searchParams;
  const [version, releaseId] = [query.get('version'), query.get('releaseId')];
  return requestHeader({
    format: query.get('format') ?? 'xlsx',
    ...filtered(query.get('filter')),
    counted: query.get('count') !== 'false',
    ...(version === null ? {} : { source: { $case: 'versionName', value: version } }),
    ...(releaseId === null ? {} : { source: { $case: 'releaseId', value: Number(releaseId) } }),
  });
}

const ask = (url: string, headers = {}, method = 'GET') =>
  fetch(url, { method, headers: { ...PROOF, ...headersFor(url), ...headers } });

describe('the json export', () => {
  test('is an array of the unchanged records', async () => {
    const answer = await ask((await startExport(three)) + PATH);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(JSON.parse(text)).toEqual([{ recordId: 1, x: 1.5 }, { recordId: 2 }, { recordId: 3 }]);
    expect(text).toContain('{"recordId":1,"x":1.50}');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="electrospinning-dataset-latest-r7.json"',
      'cache-control': 'no-cache',
      etag: `"${TAG}"`,
    });
  });

  test('in csv format has the flattened columns and one line per record', async () => {
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

  test('is retried if the scan fails before the first record', async () => {
    let scans = 0;
    const scan = async function* () {
      scans += 1;
      yield await Promise.resolve(state(1));
      if (scans === 1) throw new ServiceError('UNAVAILABLE', 'the replica is unavailable');
      yield chunk('{"recordId":1}');
    };
    expect(await (await ask((await startExport(scan)) + PATH)).json()).toEqual([{ recordId: 1 }]);
    expect(scans).toBe(2);
  });

  test('returns 304 to a client with the current file and only headers to HEAD, and both end the scan', async () => {
    let ended = 0;
    const scan = async function* ({ signal }: CallContext) {
      yield state(1);
      yield chunk('{"recordId":1}');
      await once(signal, 'abort');
      ended += 1;
    };
    const url = (await startExport(scan)) + PATH;
    const cached = await ask(url, { 'if-none-match': `W/"${TAG}"` });
    expect([cached.status, await cached.text(), cached.headers.get('etag')]).toEqual([304, '', `"${TAG}"`]);
    const head = await ask(url, {}, 'HEAD');
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', `"${TAG}"`]);
    while (ended < 2) await sleep(10);
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
  ])('is an error response when the scan of a short file %s', async (_, scan) => {
    const answer = await ask((await startExport(scan)) + PATH);
    expect([500, 503]).toContain(answer.status);
    expect(await answer.json()).toMatchObject({ success: false });
  });

  test('is never complete when the scan of a long file breaks off', async () => {
    const scan = async function* () {
      yield await Promise.resolve(state(3));
      yield chunk(JSON.stringify({ recordId: 1, text: 'x'.repeat(600_000) }));
      yield chunk('{"recordId":2}');
      throw new ServiceError('UNAVAILABLE', 'the database is away');
    };
    const answer = await ask((await startExport(scan)) + PATH);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  test('has an error body when the scan cannot begin', async () => {
    const away = async function* () {
      yield await Promise.reject<ScanRecordsResponse>(new ServiceError('UNAVAILABLE', 'the database is away'));
    };
    const answer = await ask((await startExport(away)) + PATH);
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('etag')]).toEqual([503, '1', null]);
    expect(await answer.json()).toMatchObject({ success: false, code: 'UNAVAILABLE', requestId: 'id-1' });
  });

  test('falls back to another replica when one fails', async () => {
    let failed = 0;
    const away = async function* () {
      failed += 1;
      yield await Promise.reject<ScanRecordsResponse>(new ServiceError('UNAVAILABLE', 'not now'));
    };
    const url = (await startExport(away, three)) + PATH;
    // Until both replicas are connected, all calls may reach the failing one.
    while ((await ask(url)).status !== 200) await sleep(20);
    failed = 0;
    for (let call = 0; call < 4; call++) expect((await ask(url)).status).toBe(200);
    expect(failed).toBeGreaterThan(0);
  });

  test('follows the pace of the client, and ends the scan when the client disconnects', async () => {
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
    const request = httpGet(url, { headers: { ...PROOF, ...headersFor(url) } }).on('error', () => undefined);
    await once(request, 'response');
    // Windows and buffers hold a few megabytes.
    await settled(() => sent * record.length, 60_000_000);
    request.destroy();
    await ended;
  });
});

describe('the message in the request header', () => {
  const path = '/public/dataset/export?format=csv&version=of-the-query';

  test('replaces the query string', async () => {
    const answer = await ask((await startExport(three)) + path, requestHeader({}));
    expect([answer.status, await answer.json()]).toMatchObject([200, [{}, {}, {}]]);
  });

  test('fits the longest filter with three-byte characters', async () => {
    const filter = JSON.stringify({ polymer: 'あ'.repeat(MAX_FILTER_LENGTH - 14) });
    expect(filter).toHaveLength(MAX_FILTER_LENGTH);
    const answer = await ask((await startExport(three)) + path, requestHeader(filtered(filter)));
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
      200,
      expect.stringContaining('latest-r7-filtered.json'),
    ]);
  });

  test('reads a personal snapshot as its owner, even if its filter is no longer valid', async () => {
    const url = await startExport(three);
    lastDataset?.snapshots.set('owner', {
      id: 3,
      name: 'Chapter 3',
      description: undefined,
      // The filter parser rejects this filter.
      filterJson: '{"formerKey":"PVA"}',
      state: { datasetId: DATASET_ID, revision: 5 },
      recordCount: 3,
      createdAt: new Date('2026-01-01T00:00:00Z'),
    });
    const snapshot = (id: number, ownerAssertion: string) =>
      ask(url + path, requestHeader({ source: { $case: 'snapshot', value: { id, ownerAssertion } } }));
    const own = await snapshot(3, 'owner');
    expect([own.status, own.headers.get('content-disposition'), own.headers.get('cache-control')]).toEqual([
      200,
      expect.stringContaining('snapshot-3-filtered.json'),
      'private, no-cache',
    ]);
    for (const [id, owner] of [
      [3, 'another'],
      [4, 'owner'],
    ] as const) {
      const other = await snapshot(id, owner);
      expect([other.status, await other.json()]).toMatchObject([404, { code: 'SNAPSHOT_NOT_FOUND' }]);
    }
  });

  test('rejects a response from a dataset-svc with older rules', async () => {
    const older = async function* () {
      yield await Promise.resolve({ ...state(1), rules: RULES - 1 });
      yield chunk('{"recordId":1}');
    };
    const answer = await ask((await startExport(older)) + path, requestHeader({}));
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'UNAVAILABLE' }]);
  });

  test.each([
    ['an unknown format', requestHeader({ format: 'pdf' }), 400, 'INVALID_PARAMETER'],
    ['a format named __proto__', requestHeader({ format: '__proto__' }), 400, 'INVALID_PARAMETER'],
    ['an invalid message', { [METADATA.streamRequest]: 'Cv8' }, 400, 'INVALID_REQUEST'],
    ['an unknown release', requestHeader({ source: { $case: 'releaseId', value: 7 } }), 404, 'VERSION_NOT_FOUND'],
    [
      'an unknown version',
      requestHeader({ source: { $case: 'versionName', value: 'v1.0.0' } }),
      404,
      'VERSION_NOT_FOUND',
    ],
    ['an unknown query', requestHeader({ source: { $case: 'queryId', value: '0' } }), 404, 'QUERY_NOT_FOUND'],
  ])('with %s is rejected', async (_, headers, status, code) => {
    const answer = await ask((await startExport(three)) + path, headers);
    expect([answer.status, await answer.json()]).toMatchObject([status, { success: false, code, requestId: 'id-1' }]);
  });
});

test.each([
  [{}, '/nothing', 'GET', 404],
  [{}, '/__proto__', 'GET', 404],
  [{}, PATH, 'POST', 405],
])('%p %s %s is %p', async (headers, path, method, status) => {
  const answer = await ask((await startExport(three)) + path, headers, method);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ success: false });
});

describe('a built file', () => {
  const XLSX = '/public/dataset/export';

  test('has a Content-Length, supports ranges, and returns 304 to a client with the current file', async () => {
    const url = await startExport(three);
    const whole = await ask(url + XLSX);
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(whole.status).toBe(200);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'content-disposition': 'attachment; filename="electrospinning-dataset-latest-r7.xlsx"',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      'cache-control': 'no-cache',
    });
    const etag = whole.headers.get('etag') ?? '';
    const part = await ask(url + XLSX, { range: 'bytes=10-19', 'if-range': etag });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${bytes.length}`]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(10, 20));
    const changed = await ask(url + XLSX, { range: 'bytes=10-19', 'if-range': '"other"' });
    expect([changed.status, (await changed.arrayBuffer()).byteLength]).toEqual([200, bytes.length]);
    const beyond = await ask(url + XLSX, { range: 'bytes=99999999-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
    expect(await beyond.json()).toMatchObject({ code: 'RANGE_NOT_SATISFIABLE' });
    const cached = await ask(url + XLSX, { 'if-none-match': etag });
    expect([cached.status, await cached.text()]).toEqual([304, '']);
    const head = await ask(url + XLSX, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(bytes.length),
      '',
    ]);
  });

  test('is built once for fifty concurrent requests at two replicas', async () => {
    let scanned = 0;
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const slow = async function* () {
      yield await Promise.resolve(state(3));
      await arrived;
      yield chunk('{"recordId":1}', '{"recordId":2}', '{"recordId":3}');
      // On a busy machine, a scan can end before all requests have arrived, and the build starts again.
      scanned += 1;
    };
    const urls = [await startExport(slow), await startExport(slow)];
    const path = `${XLSX}?filter=${encodeURIComponent('{"polymer":"fifty"}')}`;
    // On a busy machine, the build may exceed the wait of a request, so the requests are retried.
    const patient = async (url: string): Promise<Response> => {
      const answer = await ask(url);
      if (answer.status !== 503) return answer;
      await answer.body?.cancel();
      return patient(url);
    };
    const pending = Array.from({ length: 50 }, (_, index) => patient(`${urls[index % 2] ?? ''}${path}`));
    // These requests follow the fifty, so their responses show that both replicas have received all fifty.
    for (const url of urls) expect((await ask(`${url}/nothing`)).status).toBe(404);
    arrive();
    const answers = await Promise.all(pending);
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    const digests = await Promise.all(
      answers.map(async (answer) =>
        createHash('sha256')
          .update(Buffer.from(await answer.arrayBuffer()))
          .digest('hex'),
      ),
    );
    expect(new Set(digests).size).toBe(1);
    expect(scanned).toBe(1);
  });

  test('returns an error body when its build fails, and the next request builds it again', async () => {
    let scans = 0;
    const flaky = async function* (context: CallContext) {
      if (++scans === 1) throw new Error('broken');
      yield await Promise.resolve(state(1));
      yield chunk('{"recordId":1,"normalized":{},"paper":{}}');
      context.signal.throwIfAborted();
    };
    const url = (await startExport(flaky)) + `${XLSX}?format=parquet&filter=%7B%22polymer%22%3A%22flaky%22%7D`;
    const failed = await ask(url);
    expect([failed.status, failed.headers.get('etag')]).toEqual([500, null]);
    expect(await failed.json()).toMatchObject({ success: false, code: 'INTERNAL' });
    expect((await ask(url)).status).toBe(200);
  });

  test('that the store lost or altered is built again, and the altered bytes are never sent', async () => {
    const url = (await startExport(three)) + `${XLSX}?filter=%7B%22polymer%22%3A%22lost%22%7D`;
    const first = Buffer.from(await (await ask(url)).arrayBuffer());
    for (const change of ['removed', 'flipped']) {
      const { key, sha256 } = await stores.database
        .selectFrom('built_file')
        .selectAll()
        .orderBy('created_at', 'desc')
        .executeTakeFirstOrThrow();
      expect(sha256).toBe(createHash('sha256').update(first).digest('hex'));
      const object = `built/${key}.xlsx`;
      if (change === 'removed') await stores.store.remove([object]);
      else {
        const flipped = Buffer.from(first);
        flipped[100] = (flipped[100] ?? 0) ^ 1;
        await stores.client.putObject(stores.objects.config.ESD_S3_BUCKET, object, flipped);
      }
      // This sender has not read the file yet.
      const again = await startExport(three);
      const answer = await ask(`${again}${new URL(url).pathname}${new URL(url).search}`);
      expect(answer.status).toBe(200);
      expect(Buffer.from(await answer.arrayBuffer()).equals(first)).toBe(true);
    }
  });

  test('counts as a download only after it was sent completely', async () => {
    const url = await startExport(three);
    const etag = (await ask(url + XLSX, {}, 'HEAD')).headers.get('etag') ?? '';
    const before = await downloads();
    for (const [path, headers, method] of [
      [XLSX, { range: 'bytes=0-3' }, 'GET'],
      [XLSX, { 'if-none-match': etag }, 'GET'],
      [XLSX, {}, 'HEAD'],
      [`${PATH}&count=false`, {}, 'GET'],
      ['/public/dataset/export?format=pdf', {}, 'GET'],
    ] as const) {
      await (await ask(url + path, headers, method)).arrayBuffer();
    }
    expect(await downloads()).toBe(before);
    for (const path of [XLSX, PATH]) await (await ask(url + path)).arrayBuffer();
    // The count follows the last byte, so the client may have the file before it.
    while ((await downloads()) < before + 2) await sleep(10);
    expect(await downloads()).toBe(before + 2);
  });

  test('returns 503 immediately while the store is unavailable', async () => {
    const url = (await startExport(three)) + `${XLSX}?filter=%7B%22polymer%22%3A%22away%22%7D`;
    await stores.objects.stop();
    try {
      const answer = await ask(url);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await answer.json()).toMatchObject({ code: 'UNAVAILABLE' });
    } finally {
      await stores.objects.start();
    }
    // The response comes before the file could be stored.
    while ((await ask(url)).status !== 200) await sleep(50);
  });
});

describe('a file of a release', () => {
  const PATH_OF_VERSION = '/public/dataset/export?version=v1.0.0';
  const JOB = '0190d2b0-0000-7000-8000-00000000000a';
  const content = Buffer.from('the file as it was stored');
  const sha256 = createHash('sha256').update(content).digest('hex');
  const object = `versions/${JOB}/${sha256}.xlsx`;

  beforeAll(async () => {
    const { client, database, objects } = stores;
    await client.putObject(objects.config.ESD_S3_BUCKET, object, content);
    await database
      .insertInto('freeze_job')
      .values({ id: JOB, identifier: 'v1.0.0', account_id: JOB, state: 'FROZEN' })
      .execute();
    await database
      .insertInto('freeze_file')
      .values({ job_id: JOB, format: 'xlsx', object_key: object, bytes: content.length, sha256, crc32: crc32(content) })
      .execute();
  });

  const startWithVersion = (scan: Scan) =>
    startExport(scan).then((url) => {
      lastDataset?.versions.set(JOB, {
        id: 5,
        identifier: 'v1.0.0',
        releaseState: ReleaseState.RELEASE_STATE_FROZEN,
        factsJson: readFileSync(demoDatasetFile, 'utf8'),
        state: { datasetId: DATASET_ID, revision: 7, recordCount: 3 },
        createdAt: new Date('2026-01-01T00:00:00Z'),
        files: [],
        jobId: JOB,
      });
      return url;
    });

  test('is sent unchanged, by identifier and by id, and can be cached permanently', async () => {
    const url = await startWithVersion(three);
    for (const path of [PATH_OF_VERSION, '/public/dataset/export?releaseId=5']) {
      const answer = await ask(url + path);
      expect([answer.status, await answer.text()]).toEqual([200, content.toString()]);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        etag: `"${sha256}"`,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-disposition': 'attachment; filename="electrospinning-dataset-v1.0.0.xlsx"',
      });
    }
  });

  test('with a filter is built from the records of the release', async () => {
    const url = await startWithVersion(three);
    const answer = await ask(`${url}${PATH_OF_VERSION}&format=json&filter=%7B%22polymer%22%3A%22a%22%7D`);
    expect(await answer.json()).toHaveLength(3);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=86400');
    expect(answer.headers.get('content-disposition')).toContain('v1.0.0-filtered.json');
  });

  /** Returns the metric of lost and damaged files. */
  const alarms = async (): Promise<number> => {
    const { values } = await counter('esd_version_files_damaged_total').get();
    return values.reduce((sum, { value }) => sum + value, 0);
  };
  const refused = async (url: string, headers = {}): Promise<void> => {
    const before = await alarms();
    const answer = await ask(url, headers);
    expect([answer.status, answer.headers.get('etag'), answer.headers.get('cache-control')]).toEqual([
      503,
      null,
      'no-store',
    ]);
    expect(await answer.json()).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/lost or damaged/),
    });
    expect(await alarms()).toBe(before + 1);
  };
  const flipped = Buffer.from(content);
  flipped[3] = (flipped[3] ?? 0) ^ 1;
  const putObject = (bytes: Buffer) => stores.client.putObject(stores.objects.config.ESD_S3_BUCKET, object, bytes);
  afterEach(() => putObject(content));

  test('that is lost, truncated or altered in the store returns 503 with an alarm, and is never rebuilt', async () => {
    for (const damage of [
      () => putObject(flipped),
      () => putObject(content.subarray(1)),
      () => stores.store.remove([object]),
    ]) {
      await damage();
      const url = (await startWithVersion(three)) + PATH_OF_VERSION;
      await refused(url);
      await refused(url, { range: 'bytes=0-3' });
    }
    const built = await stores.database.selectFrom('built_file').select('key').where('format', '=', 'xlsx').execute();
    const url = (await startWithVersion(three)) + PATH_OF_VERSION;
    await refused(url);
    expect(await stores.database.selectFrom('built_file').select('key').where('format', '=', 'xlsx').execute()).toEqual(
      built,
    );
    await putObject(content);
    expect(await (await ask(url)).text()).toBe(content.toString());
  });

  test('that is lost or altered after a download is not sent either', async () => {
    const url = (await startWithVersion(three)) + PATH_OF_VERSION;
    expect((await ask(url)).status).toBe(200);
    await putObject(flipped);
    await refused(url, { range: 'bytes=0-3' });
    await putObject(content);
    expect((await ask(url)).status).toBe(200);
    await stores.store.remove([object]);
    await refused(url);
  });

  test('that is missing in export-svc or differs from the frozen file returns 503, and is never built', async () => {
    const url = await startWithVersion(three);
    const version = lastDataset?.versions.get(JOB);
    if (!version) throw new Error('the version is missing');
    version.files = [
      { format: 'xlsx', bytes: content.length, sha256: '0'.repeat(64) },
      { format: 'parquet', bytes: 1, sha256: '1'.repeat(64) },
    ];
    await refused(url + PATH_OF_VERSION);
    await refused(`${url}${PATH_OF_VERSION}&format=parquet`);
    version.files = [{ format: 'xlsx', bytes: content.length, sha256 }];
    expect((await ask(url + PATH_OF_VERSION)).status).toBe(200);
  });
});
