import { get as httpGet, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, expect, test } from '@jest/globals';
import { RULES } from '@esd/record/rules';
import type { QueryRecordsRequest } from '@esd/proto/esd/dataset/v1/dataset';
import { closeAll, get, startStreamServer, startUpstream, startGateway } from '../upstream-servers.ts';

afterEach(closeAll);

const BODY = JSON.stringify({ recordId: 1, text: 'x'.repeat(3_000) });

/** Starts a dataset whose state the test changes; each page takes `delay` milliseconds. */
async function startDataset({ delay = 0, split = false, exportHttp = [] as string[] } = {}) {
  const state = { datasetId: 'one', revision: 1, recordCount: 3 };
  const replica = { rules: RULES };
  const requests: QueryRecordsRequest[] = [];
  const { port } = await startUpstream({
    dataset: {
      getHead: () => Promise.resolve({ state: { ...state } }),
      queryRecords: async (request) => {
        requests.push(request);
        await new Promise((resolve) => setTimeout(resolve, delay));
        const records = split ? 1 : Math.min(request.limit, 3 - request.skip);
        const bodies = Array.from({ length: records }, () => BODY.replace('"x', `"r${state.revision}x`));
        return { state: { ...state }, total: 3, recordsJson: Buffer.from(bodies.join(',')), records, ...replica };
      },
    },
  });
  return { gateway: await startGateway({ ports: [port], exportHttp }), requests, state, replica };
}

async function raw(url: string, headers: Record<string, string>) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    httpGet(url, { headers }, resolve).on('error', reject);
  });
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(Buffer.from(part as Uint8Array));
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) };
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('fifty callers at the same time cause a single query', async () => {
  const { gateway, requests } = await startDataset({ delay: 50 });
  const url = `${gateway.url}/public/dataset?limit=3`;
  const answers = await Promise.all(Array.from({ length: 50 }, () => get(url)));
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
  await get(url);
  expect(requests).toHaveLength(1);
});

test('a new revision is visible within 100 ms, and the old page never again', async () => {
  const { gateway, state } = await startDataset();
  const url = `${gateway.url}/public/dataset?limit=3`;
  for (let revision = 1; revision <= 5; revision += 1) {
    state.revision = revision;
    await later(100);
    const answer = await get(url);
    expect(answer.text).toContain(`"r${revision}x`);
    expect(answer.headers.get('etag')).toContain(`one.${revision}.`);
  }
});

test('pages of a replaced dataset are not returned for the new one', async () => {
  const { gateway, state } = await startDataset();
  const url = `${gateway.url}/public/dataset?limit=3`;
  state.revision = 9;
  const first = await get(url);
  state.datasetId = 'two';
  state.revision = 1;
  await later(100);
  const second = await get(url, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
  expect([second.status, second.headers.get('etag')]).toEqual([200, expect.stringContaining('two.1.')]);
});

test('each encoding has its own entity tag and the same content', async () => {
  const { gateway } = await startDataset();
  const url = `${gateway.url}/public/dataset?limit=3`;
  const plain = await raw(url, { 'accept-encoding': 'identity' });
  const seen = new Set<string | undefined>([plain.headers.etag]);
  for (const [encoding, decode] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const answer = await raw(url, { 'accept-encoding': encoding });
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers.vary).toContain('Accept-Encoding');
    expect(answer.body.length).toBeLessThan(plain.body.length / 2);
    expect(decode(answer.body)).toEqual(plain.body);
    seen.add(answer.headers.etag);
    const again = await raw(url, { 'if-none-match': answer.headers.etag ?? '' });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  }
  expect(seen.size).toBe(3);
});

test('a page too large for one message is assembled at a single revision', async () => {
  const { gateway, requests } = await startDataset({ split: true });
  const answer = await get(`${gateway.url}/public/dataset?limit=3`);
  expect(answer.status).toBe(200);
  expect(answer.json()).toMatchObject({ data: [{ recordId: 1 }, { recordId: 1 }, { recordId: 1 }], total: 3 });
  expect(requests.map(({ skip, limit, revision }) => [skip, limit, revision])).toEqual([
    [0, 3, undefined],
    [1, 2, 1],
    [2, 1, 1],
  ]);
});

test('an export is requested at the newest known state, so that it is never older than a page', async () => {
  const seen: unknown[] = [];
  const bytes = await startStreamServer((request, response) => {
    seen.push(request.headers['x-esd-state-seen']);
    response.end('[]');
  });
  const { gateway, state } = await startDataset({ exportHttp: [bytes] });
  const url = `${gateway.url}/public/dataset/export?format=json`;
  await get(url);
  state.revision = 7;
  await get(`${gateway.url}/public/dataset`);
  await get(url, { headers: { 'x-esd-state-seen': 'one.99' } });
  expect(seen).toEqual([undefined, 'one.7']);
});

test('a response of a replica with older rules is rejected', async () => {
  const { gateway, replica } = await startDataset();
  replica.rules = RULES - 1;
  const answer = await get(`${gateway.url}/public/dataset?limit=2`);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
});
