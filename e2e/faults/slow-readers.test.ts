import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { startStack, type TestStack } from '@esd/testing/stack';
import { createAdmin } from '../support/admin.ts';
import { type Api, apiAt } from '../support/api.ts';
import { submitRecords, untilTotal } from '../support/dataset.ts';
import { eventually } from '@esd/testing/eventually';
import { outcomes, startLoad, stopLoads } from '../support/load.ts';
import { records } from '../support/shapes.ts';
import { type SlowReaders, startSlowReaders } from '../support/slow-readers.ts';
import { smallRecord } from '@esd/testing/records';

const READERS = 200;
// 36 MB in records of 18 KB, far more than the buffers between a reader and the store.
const SUBMISSIONS = 5;
const RECORDS_A_SUBMISSION = 400;
const count = SUBMISSIONS * RECORDS_A_SUBMISSION;
const EXPORT = '/public/dataset/export?format=json';
const PROCESSES = ['gateway', 'export-svc', 'dataset-svc'];
// For each reader: the window of its gRPC stream and the messages queued at both ends. A whole file for each would be 7 GB.
const MAX_GROWTH_MB = READERS * 2.5;
// A reader that receives nothing for 30 s is disconnected; the gateway detects it within 40 s.
const GIVEN_UP_MS = 180_000;
// Each fills its buffers immediately, however slowly it continues; on a small machine some get 503.
const EVERY_MS = 200;
const LEAST_SERVED = 0.98;

let stack: TestStack;
let api: Api;
let readers: SlowReaders | undefined;
beforeAll(async () => {
  stack = await startStack({ empty: true });
  api = apiAt(stack.url);
  const { token } = await createAdmin(api);
  const members = Array.from({ length: 10 }, (_, index) => [`note${index}`, 'x'.repeat(1_800)] as const);
  const record = { ...smallRecord, collectorProperty: { collectorDefinition: Object.fromEntries(members) } };
  const experimentData = Array.from({ length: RECORDS_A_SUBMISSION }, () => record);
  for (let number = 0; number < SUBMISSIONS; number += 1) {
    const recordIds = await submitRecords(api, { experimentData }, token);
    expect((await api.post('/moderation/approve', { recordIds }, { bearer: token })).status).toBe(200);
  }
  await untilTotal(api, count, 60_000);
});
afterEach(async () => {
  readers?.stop();
  await stopLoads();
});
afterAll(() => stack.stop());

/** Returns the resident memory of a process, in MB. */
async function residentMb(name: string): Promise<number> {
  const status = await readFile(`/proc/${stack.pid(name) ?? 0}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

/**
 * Returns the number of responses that the gateway aborted. A client that does not read cannot detect the end of its connection.
 */
async function cutOff(): Promise<number> {
  const text = await readFile(join(stack.dataDir, 'logs', 'gateway.log'), 'utf8');
  return text.split('\n').filter((line) => line.includes('request aborted')).length;
}

const memory = async () => Promise.all(PROCESSES.map(residentMb));

test(`${READERS} slow readers neither use up memory nor delay others, and are disconnected`, async () => {
  // The first request of a kind loads code and grows buffers.
  await api.get(EXPORT);
  const before = await memory();
  const peak = [...before];
  const slow = startSlowReaders(api.url + EXPORT, READERS, EVERY_MS);
  readers = slow;
  const startedAt = Date.now();
  const refused = () => slow.answered(503) + slow.answered(429);
  const answered = () => slow.answered(200) + refused();
  const reads = startLoad(2, (number) => api.get(`/public/dataset?filter={"voltageMin":${100 + number}}`));
  const whole = (async () => {
    await eventually(
      () => Promise.resolve(answered()),
      (all) => all === READERS,
      90_000,
    );
    return request(api.url + EXPORT, { timeoutMs: 60_000 });
  })();
  whole.catch(() => undefined);
  const givenUp = async () => (await cutOff()) + refused();
  while ((await givenUp()) < READERS / 2 && Date.now() - startedAt < GIVEN_UP_MS) {
    const now = await memory();
    now.forEach((mb, index) => (peak[index] = Math.max(peak[index] ?? 0, mb)));
    await sleep(250);
  }
  const { status, json } = await whole;
  expect([status, records.parse(json).length]).toEqual([200, count]);
  const { 200: served = 0, 503: away = 0 } = outcomes(await reads.stop());
  expect(served + away).toBe(reads.attempts.length);
  expect(served / reads.attempts.length).toBeGreaterThan(LEAST_SERVED);
  const growth = PROCESSES.map((name, index) => `${name} ${Math.round((peak[index] ?? 0) - (before[index] ?? 0))} MB`);
  process.stdout.write(
    `slow readers: ${slow.answered(200)} answered, ${refused()} refused with Retry-After, ${await cutOff()} disconnected after ${Math.round((Date.now() - startedAt) / 1000)} s; ${growth.join(', ')} more\n`,
  );
  expect(await givenUp()).toBeGreaterThanOrEqual(READERS / 2);
  peak.forEach((mb, index) => {
    expect([PROCESSES[index], mb - (before[index] ?? 0) < MAX_GROWTH_MB]).toEqual([PROCESSES[index], true]);
  });
}, 300_000);
