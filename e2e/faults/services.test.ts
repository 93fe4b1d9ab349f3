import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStack, type TestStack } from '@esd/testing/stack';
import { type Answer, type Api, apiAt } from '../support/api.ts';
import { createAdmin, type Credentials } from '../support/admin.ts';
import { readAll, submitRecords, untilTotal } from '../support/dataset.ts';
import { expectError } from '../support/errors.ts';
import { eventually } from '../support/eventually.ts';
import { outcomes, startLoad, stopLoads } from '../support/load.ts';
import { smallSubmission } from '../support/submission.ts';

// What the gateway gives a request, and a little for this busy machine.
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
}, 60_000);
afterEach(stopLoads);
afterAll(() => stack.stop());

/** Waits until everything works. */
const untilWell = () =>
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

/** What needs each service. */
const ASK: Record<string, Record<string, () => Promise<Answer>>> = {
  'identity-svc': {
    'a login': () => api.post('/auth/login', who),
    'the own account': () => api.get('/auth/me', { bearer: token }),
    'a submission in a session': () => api.post('/data/submit', smallSubmission(), { bearer: token }),
  },
  'submission-svc': {
    'a submission': () => api.post('/data/submit', smallSubmission(), { timeoutMs: 40_000 }),
    'the own ids': () => api.get('/data/my-records/ids', { bearer: token }),
  },
  'export-svc': { 'an export': () => api.get('/public/dataset/export?format=json', { timeoutMs: 40_000 }) },
};
const READS = ['/public/dataset?limit=50', '/metadata/polymers', '/metadata/units', '/data/statuses'];

describe('a service that is gone', () => {
  test.each(Object.keys(ASK))(
    '%s takes with it only what needs it',
    async (name) => {
      const reads = startLoad(2, (number) => api.get(READS[number % READS.length] ?? ''));
      const processes = ['gateway', 'dataset-svc'].map((one) => stack.pid(one));
      await stack.kill(name);

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
      // Reads work, so the gateway is ready, and says what is away.
      expect(json).toMatchObject({ ready: true, dependencies: { [name]: 'down', 'dataset-svc': 'up' } });
      for (const [other, asks] of Object.entries(ASK)) {
        if (other === name) continue;
        for (const [what, ask] of Object.entries(asks)) {
          if (what === 'a submission in a session' || what === 'the own ids') continue;
          expect([what, (await ask()).status < 300]).toEqual([what, true]);
        }
      }

      await stack.start(name);
      await untilWell();
      expect(['gateway', 'dataset-svc'].map((one) => stack.pid(one))).toEqual(processes);
      expect(Object.keys(outcomes(await reads.stop()))).toEqual(['200']);
    },
    60_000,
  );
});

test('services that fall silent hold nobody up beyond the deadline, and readers not at all', async () => {
  const reads = startLoad(1, (number) => api.get(READS[number % READS.length] ?? ''));
  const names = Object.keys(ASK);
  await Promise.all(names.map((name) => stack.pause(name)));
  // Each alone: a silent identity-svc would answer for what stands behind it.
  const anonymous = {
    ...ASK['identity-svc'],
    ...ASK['export-svc'],
    'a submission': ASK['submission-svc']?.['a submission'],
  };
  await Promise.all(
    Object.entries(anonymous).map(async ([what, ask]) => {
      const started = Date.now();
      const answer = await ask?.();
      expect([what, answer?.status]).toEqual([what, 503]);
      if (answer) expectError(answer, 503, 'UNAVAILABLE');
      const most = what === 'a submission' ? WRITE_MS : READ_MS + 2_000;
      expect([what, Date.now() - started < most]).toEqual([what, true]);
    }),
  );
  await Promise.all(names.map((name) => stack.resume(name)));
  await untilWell();
  const attempts = await reads.stop();
  expect(Object.keys(outcomes(attempts))).toEqual(['200']);
  expect(Math.max(...attempts.map(({ ms }) => ms))).toBeLessThan(2_000);
}, 90_000);

describe('of two copies of dataset-svc', () => {
  test('one that is killed is not missed', async () => {
    const reads = startLoad(3, (number) => api.get(READS[number % 3] ?? ''));
    await sleep(300);
    for (const name of ['dataset-svc', 'dataset-svc-2']) {
      await stack.kill(name);
      await sleep(1_000);
      expect((await api.get('/public/dataset/export?format=json')).status).toBe(200);
      await stack.start(name);
    }
    const attempts = await reads.stop();
    expect(attempts.length).toBeGreaterThan(100);
    expect(Object.keys(outcomes(attempts))).toEqual(['200']);
  }, 60_000);

  test('one that falls silent makes nobody wait beyond the deadline', async () => {
    await stack.pause('dataset-svc');
    const answers = await Promise.all(
      Array.from({ length: 6 }, async (_, number) => {
        const started = Date.now();
        const { status } = await api.get(READS[number % 3] ?? '');
        return [status, Date.now() - started < READ_MS];
      }),
    );
    await stack.resume('dataset-svc');
    expect(answers).toEqual(answers.map(() => [200, true]));
    await untilWell();
  }, 60_000);

  test('both gone take the reads with them, and nothing else; what is approved meanwhile comes afterwards', async () => {
    const before = await readAll(api);
    await Promise.all(['dataset-svc', 'dataset-svc-2'].map((name) => stack.kill(name)));
    for (const path of [
      '/public/dataset',
      '/public/dataset?limit=1',
      '/metadata/units',
      '/public/dataset/export?format=json',
    ]) {
      const started = Date.now();
      expectError(await api.get(path), 503, 'UNAVAILABLE');
      expect(Date.now() - started).toBeLessThan(READ_MS);
    }
    await eventually(
      async () => (await api.get('/ready')).status,
      (status) => status === 503,
    );
    expectError(await api.get('/ready'), 503, 'UNAVAILABLE');

    expect((await api.post('/data/submit', smallSubmission())).status).toBe(201);
    const approved = own.splice(0, 10);
    const answer = await api.post('/moderation/approve', { recordIds: approved }, { bearer: token });
    expect(answer.status).toBe(200);

    await Promise.all(['dataset-svc', 'dataset-svc-2'].map((name) => stack.start(name)));
    await untilTotal(api, before.length + 10, 45_000);
    await untilWell();
    expect((await readAll(api)).map(({ recordId }) => recordId)).toEqual(
      [...before.map(({ recordId }) => recordId), ...approved].sort((a, b) => a - b),
    );
  }, 90_000);
});
