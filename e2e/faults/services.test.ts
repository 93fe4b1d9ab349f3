import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStack, type TestStack } from '@esd/testing/stack';
import { type Answer, type Api, apiAt } from '../support/api.ts';
import { createAdmin, type Credentials } from '../support/admin.ts';
import { readAll, submitRecords, untilTotal } from '../support/dataset.ts';
import { expectError } from '../support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { outcomes, startLoad, stopLoads } from '../support/load.ts';
import { smallSubmission } from '@esd/testing/records';
import { whileAway } from '../support/while-away.ts';

// The deadline of the gateway, with a margin for a busy machine.
const READ_MS = 10_000 + 1_500;
const WRITE_MS = 30_000 + 1_500;

let stack: TestStack;
let api: Api;
let token: string;
let who: Credentials;
let own: number[];
let total: number;
beforeAll(async () => {
  stack = await startStack({ empty: true, replicas: { 'dataset-svc': 2 } });
  api = apiAt(stack.url);
  ({ token, who } = await createAdmin(api));
  own = await submitRecords(api, smallSubmission(100), token);
  total = 60;
  await api.post('/moderation/approve', { recordIds: own.splice(0, total) }, { bearer: token });
  await untilTotal(api, total);
});
afterEach(stopLoads);
afterAll(() => stack.stop());

/** Waits until all requests succeed. */
const untilAllSucceed = () =>
  eventually(
    async () => {
      const { json, status } = await api.get('/ready');
      const answers = await Promise.all(Object.values(ASK).flatMap((asks) => Object.values(asks).map((ask) => ask())));
      return [status, json, ...answers.map((answer) => answer.status)];
    },
    (seen) =>
      seen.slice(2).every((status) => status === 200 || status === 201) && !JSON.stringify(seen).includes('down'),
    20_000,
  );

/** The requests that need each service. */
const ASK: Record<string, Record<string, () => Promise<Answer>>> = {
  'identity-svc': {
    'a login': () => api.post('/auth/login', who),
    'the account of the caller': () => api.get('/auth/me', { bearer: token }),
    'a submission in a session': () => api.post('/data/submit', smallSubmission(), { bearer: token }),
  },
  'submission-svc': {
    'a submission': () => api.post('/data/submit', smallSubmission(), { timeoutMs: 40_000 }),
    'the ids of the caller': () => api.get('/data/my-records/ids', { bearer: token }),
  },
  'export-svc': { 'an export': () => api.get('/public/dataset/export?format=json', { timeoutMs: 40_000 }) },
};
// Requests that need identity-svc too.
const NEEDS_TWO = ['a submission in a session', 'the ids of the caller'];
const REPLICAS = ['dataset-svc', 'dataset-svc-2'];
const READS = ['/public/dataset?limit=50', '/metadata/polymers', '/metadata/units', '/data/statuses'];

describe('a service that is down', () => {
  test.each(Object.keys(ASK))('%s affects only the requests that need it', async (name) => {
    const reads = startLoad(2, (number) => api.get(READS[number % READS.length] ?? ''));
    const processes = ['gateway', 'dataset-svc'].map((one) => stack.pid(one));
    await whileAway(stack, 'gone', [name], async () => {
      for (const [what, ask] of Object.entries(ASK[name] ?? {})) {
        const started = Date.now();
        const answer = await ask();
        expect([what, answer.status]).toEqual([what, 503]);
        expectError(answer, 503, 'UNAVAILABLE');
        expect(Date.now() - started).toBeLessThan(READ_MS);
      }
      const { json } = await eventually(
        () => api.get('/ready'),
        (answer) => JSON.stringify(answer.json).includes(`"${name}":"down"`),
      );
      // Reads work, so the gateway is ready and reports the missing service.
      expect(json).toMatchObject({ ready: true, dependencies: { [name]: 'down', 'dataset-svc': 'up' } });
      for (const [other, asks] of Object.entries(ASK)) {
        for (const [what, ask] of Object.entries(other === name ? {} : asks)) {
          if (NEEDS_TWO.includes(what)) continue;
          expect([what, (await ask()).status < 300]).toEqual([what, true]);
        }
      }
    });
    await untilAllSucceed();
    expect(['gateway', 'dataset-svc'].map((one) => stack.pid(one))).toEqual(processes);
    expect(Object.keys(outcomes(await reads.stop()))).toEqual(['200']);
  });
});

test('services that do not respond delay callers no longer than the deadline, and readers not at all', async () => {
  const reads = startLoad(1, (number) => api.get(READS[number % READS.length] ?? ''));
  await whileAway(stack, 'silent', Object.keys(ASK), async () => {
    const asks = Object.values(ASK).flatMap((group) => Object.entries(group));
    await Promise.all(
      asks.map(async ([what, ask]) => {
        const started = Date.now();
        const answer = await ask();
        expect([what, answer.status]).toEqual([what, 503]);
        expectError(answer, 503, 'UNAVAILABLE');
        expect([what, Date.now() - started < (what === 'a submission' ? WRITE_MS : READ_MS)]).toEqual([what, true]);
      }),
    );
  });
  await untilAllSucceed();
  const attempts = await reads.stop();
  expect(Object.keys(outcomes(attempts))).toEqual(['200']);
  expect(Math.max(...attempts.map(({ ms }) => ms))).toBeLessThan(2_000);
});

describe('two replicas of dataset-svc', () => {
  test('with one killed, every read succeeds', async () => {
    const reads = startLoad(3, (number) => api.get(READS[number % 3] ?? ''));
    await sleep(300);
    for (const name of REPLICAS) {
      await whileAway(stack, 'gone', [name], async () => {
        await sleep(1_000);
        expect((await api.get('/public/dataset/export?format=json')).status).toBe(200);
      });
    }
    const attempts = await reads.stop();
    expect(attempts.length).toBeGreaterThan(100);
    expect(Object.keys(outcomes(attempts))).toEqual(['200']);
  });

  test('with one unresponsive, requests are delayed, but not beyond the deadline', async () => {
    const answers = await whileAway(stack, 'silent', ['dataset-svc'], () =>
      Promise.all(
        Array.from({ length: 6 }, async (_, number) => {
          const started = Date.now();
          const answer = await api.get(READS[number % 3] ?? '');
          if (answer.status !== 200) expectError(answer, 503, 'UNAVAILABLE');
          expect(Date.now() - started).toBeLessThan(READ_MS);
          return answer.status;
        }),
      ),
    );
    // Half of the requests reach the other replica first, and one more at its retry.
    expect(answers.filter((status) => status === 200).length).toBeGreaterThan(3);
    await untilAllSucceed();
  });

  test('with both down, only reads fail; approvals made in that time are published later', async () => {
    const before = (await readAll(api)).map(({ recordId }) => recordId);
    const approved = own.splice(0, 10);
    await whileAway(stack, 'gone', REPLICAS, async () => {
      const paths = [
        '/public/dataset',
        '/public/dataset?limit=1',
        '/metadata/units',
        '/public/dataset/export?format=json',
      ];
      for (const path of paths) {
        const started = Date.now();
        expectError(await api.get(path), 503, 'UNAVAILABLE');
        expect(Date.now() - started).toBeLessThan(READ_MS);
      }
      await eventually(
        async () => (await api.get('/ready')).status,
        (status) => status === 503,
      );
      const { dependencies } = expectError(await api.get('/ready'), 503, 'UNAVAILABLE');
      expect(dependencies).toMatchObject({ 'dataset-svc': 'down', 'submission-svc': 'up' });

      expect((await api.post('/data/submit', smallSubmission())).status).toBe(201);
      const answer = await api.post('/moderation/approve', { recordIds: approved }, { bearer: token });
      expect(answer.status).toBe(200);
    });
    await untilTotal(api, before.length + approved.length, 45_000);
    await untilAllSucceed();
    const after = (await readAll(api)).map(({ recordId }) => recordId);
    expect(after).toEqual([...before, ...approved].sort((a, b) => a - b));
  });
});
