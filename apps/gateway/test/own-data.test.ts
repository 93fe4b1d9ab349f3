import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { ResolveBearerRequest } from '@esd/proto/esd/identity/v1/identity';
import { RecordStatus } from '@esd/proto/esd/submission/v1/submission';
import { ServiceError } from '@esd/service/errors';
import { settled } from '@esd/testing/settled';
import { eventually } from '@esd/testing/eventually';
import {
  closeAll,
  type UpstreamServer,
  get,
  post,
  resolvedAdmin,
  startUpstream,
  startGateway,
} from './upstream-servers.ts';

afterEach(closeAll);

const identity = { resolveBearer: (request: ResolveBearerRequest) => Promise.resolve(resolvedAdmin(request)) };
const headers = { authorization: 'Bearer good' };

async function gatewayBefore(submission: NonNullable<UpstreamServer['submission']>): Promise<string> {
  const { port } = await startUpstream({ identity, submission });
  return (await startGateway({ ports: [port] })).url;
}

const LARGE = Buffer.from(`"${'x'.repeat(200_000)}",`);

/** An endless list, with the number of sent chunks. */
function endlessList() {
  const seen = { chunks: 0, ended: false };
  async function* listOwnRecords() {
    try {
      yield { json: Buffer.from('[') };
      for (;;) {
        seen.chunks += 1;
        yield { json: LARGE };
        await sleep(0);
      }
    } finally {
      seen.ended = true;
    }
  }
  return { seen, listOwnRecords };
}

async function begin(url: string): Promise<IncomingMessage> {
  const request = httpGet(url, { headers });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer;
}

describe('a list that comes in chunks', () => {
  test('is sent in the order of its chunks', async () => {
    const url = await gatewayBefore({
      listOwnRecords: async function* ({ status, skip, limit }) {
        yield { json: Buffer.from('[') };
        await sleep(5);
        yield { json: Buffer.from(JSON.stringify({ status, skip, limit })) };
        yield { json: Buffer.from(']') };
      },
    });
    const answer = await get(`${url}/data/my-records?status=REJECTED&skip=3&limit=4`, { headers });
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    expect(answer.json()).toEqual([{ status: RecordStatus.RECORD_STATUS_REJECTED, skip: 3, limit: 4 }]);
  });

  test('is an error body if it fails before the first chunk', async () => {
    const url = await gatewayBefore({
      // oxlint-disable-next-line require-yield -- it fails before its first chunk
      getOwnSubmission: async function* () {
        await sleep(0);
        throw new ServiceError('SUBMISSION_NOT_FOUND', 'You have no submission 7.');
      },
    });
    const answer = await get(`${url}/data/submission/7`, { headers });
    expect([answer.status, answer.json()]).toEqual([404, expect.objectContaining({ code: 'SUBMISSION_NOT_FOUND' })]);
  });

  test('is aborted if it fails later, so that it never looks complete', async () => {
    const url = await gatewayBefore({
      listOwnRecords: async function* () {
        yield { json: Buffer.from('[{"recordId":1}') };
        await sleep(20);
        throw new ServiceError('UNAVAILABLE', 'away');
      },
    });
    await expect(get(`${url}/data/my-records`, { headers })).rejects.toThrow();
  });

  test('waits for a slow reader, and ends when the reader disconnects', async () => {
    const { seen, listOwnRecords } = endlessList();
    const url = await gatewayBefore({ listOwnRecords });
    const answer = await begin(`${url}/data/my-records`);
    await eventually(() => seen.chunks > 5);
    // The buffers in between contain a few megabytes.
    await settled(() => seen.chunks * LARGE.length, 64 * 1024 * 1024);
    answer.destroy();
    await eventually(() => seen.ended);
  });
});

describe('an update', () => {
  const record = { recordId: 7, status: RecordStatus.RECORD_STATUS_PENDING, missingFields: [], warnings: [] };

  test('forwards the body and the entity tags of If-Match, and returns the new tag', async () => {
    const received: unknown[] = [];
    const url = await gatewayBefore({
      updateRecord: ({ recordId, submissionJson, entityTags }) => {
        received.push([recordId, submissionJson.toString(), entityTags]);
        return Promise.resolve({ outcome: { $case: 'updated', value: { message: 'm', record, entityTag: '7-2' } } });
      },
    });
    const put = (ifMatch?: string) =>
      get(`${url}/data/update/7`, {
        method: 'PUT',
        headers: { ...headers, 'content-type': 'application/json', ...(ifMatch ? { 'if-match': ifMatch } : {}) },
        body: '{"x": 1.50}',
      });
    for (const [ifMatch, tags] of [
      [undefined, []],
      ['*', []],
      ['"7-1"', ['7-1']],
      ['"7-1", "8-1"', ['7-1', '8-1']],
    ] as const) {
      const answer = await put(ifMatch);
      expect([answer.status, answer.headers.get('etag')]).toEqual([200, '"7-2"']);
      expect(answer.json()).toEqual({ recordId: 7, status: 'PENDING', missingFields: [], warnings: [], message: 'm' });
      expect(received.at(-1)).toEqual([7, '{"x": 1.50}', tags]);
    }
    const count = received.length;
    for (const bad of ['7-1', '"7-1', '""7"']) {
      const answer = await put(bad);
      expect([answer.status, answer.json()]).toEqual([400, expect.objectContaining({ code: 'INVALID_PARAMETER' })]);
    }
    expect(received).toHaveLength(count);
  });

  test('is never sent twice by the gateway', async () => {
    let calls = 0;
    const away = () => {
      calls += 1;
      return Promise.reject(new ServiceError('UNAVAILABLE', 'away'));
    };
    const url = await gatewayBefore({ updateRecord: away, updateSubmission: away, submit: away });
    const put = (path: string) =>
      get(url + path, { method: 'PUT', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' });
    expect([(await put('/data/update/7')).status, (await put('/data/update-submission/7')).status]).toEqual([503, 503]);
    expect((await post(`${url}/data/submit`, {}, { 'idempotency-key': 'k' })).status).toBe(503);
    expect(calls).toBe(3);
  });
});
