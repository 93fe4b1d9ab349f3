import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import { type Answer, apiAt } from './support/api.ts';
import { query } from './support/database.ts';
import { submitRecords } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { rawHttp } from './support/raw-http.ts';
import { smallRecord, smallSubmission, anonymousSubmitter } from '@esd/testing/records';

const JSON_TYPE = { 'content-type': 'application/json' };

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
const api = apiAt(stack.url);
let lastId: number;
/** Rows of each table after the last check. */
let stored: Record<string, unknown>;
let logSizes: Map<string, number>;

const LOGS = ['gateway', 'submission-svc', 'identity-svc', 'dataset-svc'];
const logFile = (name: string): string => join(stack.dataDir, 'logs', `${name}.log`);

beforeAll(async () => {
  logSizes = new Map(LOGS.map((name) => [name, statSync(logFile(name)).size]));
  [lastId = 0] = await submitRecords(api, smallSubmission());
  stored = await countRows();
});

async function countRows(): Promise<Record<string, unknown>> {
  const [counts = {}] = await query(
    stack.databaseUrl('esd_submission'),
    `select (select count(*) from submission) as submissions, (select count(*) from submitter) as submitters,
            (select count(*) from record) as records, (select count(*) from record_revision) as revisions,
            (select count(*) from audit) as entries, (select count(*) from outbox) as events`,
  );
  return counts;
}

/** Checks that nothing was stored since the last check: no row in any table, and the next record has the next id. */
async function expectNothingStored(): Promise<void> {
  expect(await countRows()).toEqual(stored);
  expect(await submitRecords(api, smallSubmission())).toEqual([lastId + 1]);
  lastId += 1;
  stored = await countRows();
}

const submit = (body: object | string | Buffer): Promise<Answer> =>
  api.post('/data/submit', body, { headers: JSON_TYPE });

test('several problems are all listed, and nothing of the submission is stored', async () => {
  const body = {
    userMetadata: { ...anonymousSubmitter, email: 'nowhere' },
    researchMetadata: { titel: 'x' },
    experimentData: [
      smallRecord,
      { polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }, { polymerName: 'Nope', weightRatio: '5' }] } },
      { ...smallRecord, processParameter: { voltge: 1, flowRate: 1, flowRateUnit: 'kV' } },
      { ...smallRecord, ambientParameter: { humidity: 240 } },
    ],
  };
  const { errors, errorCount, message } = expectError(await submit(body), 400, 'VALIDATION_FAILED');
  expect(errors?.map(({ path, code }) => [path, code]).sort()).toEqual(
    [
      ['userMetadata.email', 'INVALID_FORMAT'],
      ['researchMetadata.titel', 'UNKNOWN_MEMBER'],
      ['experimentData[1].polymerProperty.polymerComponents[1].polymerName', 'UNKNOWN_POLYMER'],
      ['experimentData[1].polymerProperty.polymerComponents[1].weightRatio', 'WRONG_TYPE'],
      ['experimentData[2].processParameter.voltge', 'UNKNOWN_MEMBER'],
      ['experimentData[2].processParameter.flowRateUnit', 'UNIT_NOT_APPLICABLE'],
      ['experimentData[3].ambientParameter.humidity', 'IMPOSSIBLE_VALUE'],
    ].sort(),
  );
  expect(errorCount).toBe(7);
  expect(message).toContain('7');
  await expectNothingStored();
});

test('51 records without an account are refused', async () => {
  expectError(await submit(smallSubmission(51)), 413, 'PAYLOAD_TOO_LARGE', /50 records, got 51\. .*token/);
  await expectNothingStored();
});

test('10 MB are accepted', async () => {
  const body = JSON.stringify(smallSubmission());
  const padded = `${body.slice(0, -1)}${' '.repeat(10 * 1024 * 1024 - body.length)}}`;
  expect((await submit(padded)).status).toBe(201);
  lastId += 1;
  stored = await countRows();
});

describe('an unreadable body', () => {
  const whole = JSON.stringify(smallSubmission());

  test.each(['length', 'chunks'])('a truncated body, by its %s', async (how) => {
    const head = 'POST /data/submit HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const body =
      how === 'length'
        ? `Content-Length: ${whole.length + 1}\r\n\r\n${whole}`
        : `Transfer-Encoding: chunked\r\n\r\n${whole.length.toString(16)}\r\n${whole}\r\n`;
    // The sent part is a complete submission, but the request has not ended.
    const answer = await rawHttp(api.url, head + body, { end: true });
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('INVALID_REQUEST')]);
    await expectNothingStored();
  });

  test('a body whose client disconnects', async () => {
    const head = `POST /data/submit HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`${head}Content-Length: ${whole.length + 1}\r\n\r\n${whole}`, () => socket.resetAndDestroy());
    await once(socket, 'close');
    await expectNothingStored();
    expect((await api.get('/health')).status).toBe(200);
  });
});

test('a bad credential is rejected regardless of the body', async () => {
  for (const body of [smallSubmission(), '{']) {
    const answer = await api.post('/data/submit', body, {
      headers: { ...JSON_TYPE, authorization: 'Bearer not-a-token' },
    });
    expectError(answer, 401, 'TOKEN_INVALID');
    await expectNothingStored();
  }
});

test('none of these requests was an internal error', async () => {
  const logs = LOGS.map((name) => readFileSync(logFile(name)).subarray(logSizes.get(name)).toString());
  const unexpected = logs.flatMap((log) => log.split('\n').filter((line) => /"level":(50|60)|unexpected/.test(line)));
  expect(unexpected).toEqual([]);
});
