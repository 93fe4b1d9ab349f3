import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { smallSubmission } from '@esd/testing/records';
import { startStack, type TestStack } from '@esd/testing/stack';
import { sendOnce } from '../../bench/open-loop-request.ts';
import { createAdmin } from '../support/admin.ts';
import { type Api, apiAt } from '../support/api.ts';
import { submitRecords, untilTotal } from '../support/dataset.ts';
import { expectError } from '../support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { readMetric } from '../support/metrics.ts';

const SLOTS = 2;
const MAX_WAITING = 256;
const FLOOD = 600;
const CACHED = '/public/dataset?limit=3';
// Longer than any response takes: here, counts decide and not times.
const PATIENT_MS = 60_000;

let stack: TestStack;
let api: Api;
let token: string;
let pending: number[];
let next = 0;
const newPage = (): string =>
  `/public/dataset?limit=20&filter=${encodeURIComponent(JSON.stringify({ voltageMin: 5 + (next += 1) / 1e6 }))}`;

beforeAll(async () => {
  stack = await startStack({
    empty: true,
    env: { ESD_UPSTREAM_CONCURRENCY: String(SLOTS), ESD_UPSTREAM_WAIT_MS: '10000' },
  });
  api = apiAt(stack.url);
  ({ token } = await createAdmin(api));
  pending = await submitRecords(api, smallSubmission(100), token);
  expect((await api.post('/moderation/approve', { recordIds: pending.splice(0, 60) }, { bearer: token })).status).toBe(
    200,
  );
  await untilTotal(api, 60);
});
afterAll(() => stack.stop());

const send = (path: string) => {
  const at = { host: '127.0.0.1', port: Number(new URL(stack.url).port) };
  return sendOnce({ ...at, path, dueAt: performance.now(), giveUpMs: PATIENT_MS });
};
/** Requests many pages that were never requested before, each on a new connection. */
const flood = (count: number) => Promise.all(Array.from({ length: count }, () => send(newPage())));
const metric = (name: string, labels: Record<string, string>) => readMetric(stack, 'gateway', name, labels);
const shed = (reason: string) => metric('esd_rpc_client_shed_total', { target: 'dataset-svc', reason });
const refused = () => metric('esd_http_rejected_total', { reason: 'overload' });
const calls = async () => [
  await metric('esd_rpc_client_in_flight', { target: 'dataset-svc' }),
  await metric('esd_rpc_client_waiting', { target: 'dataset-svc' }),
];

describe('more requests than the queue to a service holds', () => {
  test('get 503 with Retry-After; cached pages, 304, health, and moderators are served', async () => {
    const cached = await api.get(CACHED);
    const tag = cached.headers.get('etag') ?? '';
    const refusedBefore = await refused();
    const flooding = Array.from({ length: 3 }, () => flood(FLOOD));
    let ended = false;
    const flooded = Promise.all(flooding).finally(() => {
      ended = true;
    });
    let decided = 0;
    while (!ended) {
      const [page, unchanged, health, ready, decision] = await Promise.all([
        api.get(CACHED),
        api.get(CACHED, { headers: { 'if-none-match': tag } }),
        send('/health'),
        send('/ready'),
        api.post('/moderation/records/1000000/approve', {}, { bearer: token }),
      ]);
      expect([page.status, unchanged.status, health.status, ready.status]).toEqual([200, 304, 200, 200]);
      // The decision reaches submission-svc, which does not know the record.
      expect(decision.status).toBe(404);
      decided += 1;
    }
    expect(decided).toBeGreaterThan(0);
    const results = (await flooded).flat();
    const ok = results.filter(({ status }) => status === 200).length;
    const refusals = results.filter(({ status, retryAfter }) => status === 503 && retryAfter).length;
    expect([ok > MAX_WAITING, refusals > 0, results.length - ok - refusals]).toEqual([true, true, 0]);
    expect(await refused()).toBe(refusedBefore + refusals);
    // Most refusals come from the entry of the gateway, before a call is attempted.
    expect((await shed('full')) + (await shed('late'))).toBeLessThan(refusals);
    expect(await calls()).toEqual([0, 0]);
  });

  test('a moderator decides about real records meanwhile', async () => {
    const flooding = flood(FLOOD);
    for (const recordId of pending.splice(0, 5)) {
      const { status } = await api.post(`/moderation/records/${recordId}/approve`, {}, { bearer: token });
      expect(status).toBe(200);
    }
    for (const { status, failure } of await flooding) expect([status, failure]).toEqual([expect.any(Number), 'none']);
  });

  test('the refusal says when to retry, may be read by pages of other origins, and is not cached', async () => {
    await stack.pause('dataset-svc');
    try {
      const waiting = Array.from({ length: SLOTS + MAX_WAITING }, () => send(newPage()));
      await eventually(calls, ([inFlight, queued]) => inFlight === SLOTS && queued === MAX_WAITING);
      const before = await shed('full');
      // The first refusal of a route, here or in an earlier test, comes from the queue; all others from the entry of the gateway.
      const foreignTag = { 'if-none-match': '"foreign"' };
      for (const [path, more] of [[newPage()], [newPage()], [`/api${newPage()}`], [newPage(), foreignTag]] as const) {
        const answer = await api.get(path, { headers: { origin: 'https://example.org', ...more } });
        expectError(answer, 503, 'UNAVAILABLE', /as many requests as it can/);
        const { headers } = answer;
        expect(['1', '2', '3']).toContain(headers.get('retry-after'));
        expect(headers.get('access-control-allow-origin')).toBe('*');
        expect(headers.get('cache-control')).toBe('no-store');
        expect(headers.get('x-content-type-options')).toBe('nosniff');
      }
      expect(await shed('full')).toBe(Math.max(1, before));
      expect((await api.get('/health')).status).toBe(200);
      await stack.resume('dataset-svc');
      await Promise.all(waiting);
    } finally {
      await stack.resume('dataset-svc');
    }
  });

  test('requests of closed connections leave the queue, and their calls are canceled', async () => {
    await stack.pause('dataset-svc');
    const gone = new AbortController();
    try {
      const abandoned = Array.from({ length: 100 }, () =>
        fetch(stack.url + newPage(), { signal: gone.signal }).catch(() => undefined),
      );
      await eventually(calls, ([inFlight, queued]) => inFlight === SLOTS && queued === 100 - SLOTS);
      gone.abort();
      await Promise.all(abandoned);
      expect(await eventually(calls, ([inFlight, queued]) => inFlight === 0 && queued === 0)).toEqual([0, 0]);
    } finally {
      await stack.resume('dataset-svc');
    }
    await eventually(
      () => api.get(newPage()),
      ({ status }) => status === 200,
    );
  });
});
