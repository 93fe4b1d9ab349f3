import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStack, type TestStack } from '@esd/testing/stack';
import { type Api, apiAt } from '../support/api.ts';
import { createAdmin } from '../support/admin.ts';
import { query } from '../support/database.ts';
import { readAll, submitRecords, untilTotal } from '../support/dataset.ts';
import { expectError } from '../support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { outcomes, startLoad, stopLoads } from '../support/load.ts';
import { submission } from '../support/shapes.ts';
import { smallSubmission } from '@esd/testing/records';

const SERVICES = [
  'gateway',
  'identity-svc',
  'submission-svc',
  'dataset-svc',
  'dataset-svc-2',
  'media-svc',
  'export-svc',
];
const RECORDS = 200;
// The deadline of the gateway, with a margin for a busy machine.
const READ_MS = 10_000 + 1_500;
const WRITE_MS = 30_000 + 1_500;

let stack: TestStack;
let api: Api;
let token: string;
beforeAll(async () => {
  stack = await startStack({ empty: true, replicas: { 'dataset-svc': 2 } });
  api = apiAt(stack.url);
  ({ token } = await createAdmin(api));
  const first = await submitRecords(api, smallSubmission(RECORDS), token);
  await api.post('/moderation/approve', { recordIds: first.slice(0, 20) }, { bearer: token });
  await untilTotal(api, 20);
});
afterEach(stopLoads);
afterAll(() => stack.stop());

/** Runs reads, submissions of two records and approvals in parallel. */
function everything(pending: number[]) {
  return {
    // Each page is requested once, so that its records come from the store.
    reads: startLoad(2, (number) =>
      api.get(`/public/dataset?skip=${number % 10}&limit=${10 + (Math.floor(number / 10) % 990)}`),
    ),
    cached: startLoad(1, () => api.get('/public/dataset?limit=100')),
    lists: startLoad(1, () => api.get('/metadata/units')),
    submits: startLoad(1, () => api.post('/data/submit', smallSubmission(2), { timeoutMs: 40_000 })),
    approvals: startLoad(1, () => {
      // The queue is empty: the first record is approved already, which is a 409.
      const id = pending.shift() ?? 1;
      return api.post(`/moderation/records/${id}/approve`, '', { bearer: token, timeoutMs: 40_000 });
    }),
  };
}

/** Checks that every submission is stored completely or not at all, and that ids have no gaps. */
async function expectNothingHalfWritten(): Promise<void> {
  const url = stack.databaseUrl('esd_submission');
  const broken = await query(
    url,
    `select s.id, count(r.id) as records, count(v.record_id) as revisions, count(u.submission_id) as submitters,
            count(a.id) as entries
       from submission s
       left join record r on r.submission_id = s.id
       left join record_revision v on v.record_id = r.id
       left join submitter u on u.submission_id = s.id
       left join audit a on a.record_id = r.id and a.action = 'submit'
      group by s.id
     having count(r.id) not in (2, ${RECORDS}) or count(v.record_id) <> count(r.id)
         or count(u.submission_id) <> count(r.id) or count(a.id) <> count(r.id)`,
  );
  expect(broken).toEqual([]);
  const [ids] = await query(url, 'select count(*) as count, coalesce(max(id), 0) as highest from record');
  expect(ids?.['count']).toBe(ids?.['highest']);
  const halfApproved = await query(
    url,
    `select r.id from record r
      where (r.status = 'APPROVED') <> exists (select from audit a where a.record_id = r.id and a.action = 'approve')`,
  );
  expect(halfApproved).toEqual([]);
  const [events] = await query(
    url,
    `select (select count(*) from outbox where subject = 'esd.record.approved.v1') as events, (select count(*) from record where status = 'APPROVED') as approved`,
  );
  expect(events?.['events']).toBe(events?.['approved']);
}

describe.each<[string, () => Promise<void>, () => Promise<void>, number]>([
  ['killed', () => stack.kill('postgres'), () => stack.start('postgres'), 4_000],
  ['silent', () => stack.pause('postgres'), () => stack.resume('postgres'), 12_500],
])('PostgreSQL %s while requests run', (_, goAway, comeBack, awayMs) => {
  test('returns 503 in time, writes nothing partially, and recovers without a restart', async () => {
    const pending = await submitRecords(api, smallSubmission(RECORDS), token);
    const processes = SERVICES.map((name) => stack.pid(name));
    const loads = everything([...pending]);
    await sleep(700);

    await goAway();
    const wentAway = Date.now();
    await sleep(awayMs);
    // Each process checks PostgreSQL by itself, so they report it one after the other.
    const notReady = await eventually(
      () => api.get('/ready'),
      ({ text }) =>
        ['dataset-svc', 'submission-svc', 'identity-svc'].every((name) => text.includes(`"${name}":"down"`)),
      5_000,
    );
    expect(expectError(notReady, 503, 'UNAVAILABLE').ready).toBe(false);
    expect((await api.get('/health')).status).toBe(200);
    await comeBack();
    const cameBack = Date.now();

    // Every process works again without a restart.
    await eventually(
      async () => {
        const read = await api.get('/public/dataset?limit=1');
        const submit = await api.post('/data/submit', smallSubmission(2));
        const login = await api.get('/auth/me', { bearer: token });
        return [read.status, submit.status, login.status, (await api.get('/ready')).status];
      },
      (statuses) => JSON.stringify(statuses) === '[200,201,200,200]',
      15_000,
    );
    const [reads, cached, lists, submits, approvals] = await Promise.all(
      Object.values(loads).map((load) => load.stop()),
    );
    expect(SERVICES.map((name) => stack.pid(name))).toEqual(processes);

    for (const [attempts = [], done, most] of [
      [lists, 200, READ_MS],
      [submits, 201, WRITE_MS],
      [approvals, 200, WRITE_MS],
    ] as const) {
      const kinds = Object.keys(outcomes(attempts));
      expect(kinds.filter((kind) => ![String(done), '503', '409'].includes(kind))).toEqual([]);
      const refused = attempts.filter(({ answer }) => answer?.status === 503);
      expect(refused.length).toBeGreaterThan(0);
      for (const { answer } of refused) if (answer) expectError(answer, 503, 'UNAVAILABLE');
      expect(Math.max(...attempts.map(({ ms }) => ms))).toBeLessThan(most);
      const whileAway = attempts.filter(
        ({ startedAt, ms }) => startedAt > wentAway + 500 && startedAt + ms < cameBack - 500,
      );
      expect(outcomes(whileAway)).not.toHaveProperty(String(done));
    }

    // Pages that the gateway caches, or whose records dataset-svc caches, need no PostgreSQL.
    for (const attempts of [cached ?? [], reads ?? []]) {
      expect(Object.keys(outcomes(attempts)).filter((kind) => !['200', '503'].includes(kind))).toEqual([]);
      expect(Math.max(...attempts.map(({ ms }) => ms))).toBeLessThan(READ_MS);
    }

    await expectNothingHalfWritten();
    const stored = await query(stack.databaseUrl('esd_submission'), 'select id from submission');
    const ids = new Set(stored.map(({ id }) => id));
    for (const { answer } of submits ?? []) {
      if (answer?.status === 201) expect(ids).toContain(submission.parse(answer.json).submissionId);
    }
    // Every approved record becomes public exactly once.
    const approved = await query(
      stack.databaseUrl('esd_submission'),
      `select id from record where status = 'APPROVED' order by id`,
    );
    await untilTotal(api, approved.length, 45_000);
    expect((await readAll(api)).map(({ recordId }) => recordId)).toEqual(approved.map(({ id }) => id));
  });
});
