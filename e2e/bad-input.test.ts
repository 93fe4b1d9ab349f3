import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { type Answer, type Api, apiAt } from './support/api.ts';
import { newAdmin } from './support/admin.ts';
import { query } from './support/database.ts';
import { submitRecords } from './support/dataset.ts';
import { eventually } from './support/eventually.ts';
import { expectError } from './support/errors.ts';
import { rawHttp } from './support/raw-http.ts';
import { smallRecord, smallSubmission, anonymousSubmitter } from '@esd/testing/records';

const JSON_TYPE = { 'content-type': 'application/json' };

let stack: TestStack;
let api: Api;
let token: string;
let lastId: number;
/** Rows of each table after the last check. */
let stored: Record<string, unknown>;
let logSizes: Map<string, number>;

const LOGS = ['gateway', 'submission-svc', 'identity-svc', 'dataset-svc'];
const logFile = (name: string): string => join(stack.dataDir, 'logs', `${name}.log`);

beforeAll(async () => {
  stack = await leaseStack('moderated');
  api = apiAt(stack.url);
  ({ token } = await newAdmin(stack, api));
  logSizes = new Map(LOGS.map((name) => [name, statSync(logFile(name)).size]));
  [lastId = 0] = await submitRecords(api, smallSubmission());
  stored = await countRows();
});
afterAll(() => stack.stop());

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
  await submitted();
}

/** Records that one submission of one record was accepted. */
async function submitted(): Promise<void> {
  lastId += 1;
  stored = await countRows();
}

const submit = (body: object | string | Buffer): Promise<Answer> =>
  api.post('/data/submit', body, { headers: JSON_TYPE });

/** Returns a submission of the small record with other members. */
const withRecord = (members: object): object => ({
  userMetadata: anonymousSubmitter,
  experimentData: [{ ...smallRecord, ...members }],
});
const polymer = (polymerName: unknown): object =>
  withRecord({ polymerProperty: { polymerComponents: [{ polymerName }] } });
const solvent = (solventName: unknown): object =>
  withRecord({ solventProperty: { solventComponents: [{ solventName }] } });
const POLYMER = 'experimentData[0].polymerProperty.polymerComponents[0].polymerName';
const SOLVENT = 'experimentData[0].solventProperty.solventComponents[0].solventName';
const at = (path: string): string => `experimentData[0].${path}`;
const nested = (levels: number): unknown => (levels === 0 ? 1 : { deeper: nested(levels - 1) });

describe('one problem is reported with its correction', () => {
  test.each<[string, object, string, string, RegExp]>([
    ['an unknown polymer', polymer('PVAA'), POLYMER, 'UNKNOWN_POLYMER', /"PVAA".*"PVA"/],
    ['an ambiguous polymer', polymer('PEI'), POLYMER, 'AMBIGUOUS_NAME', /"PEI".*POLYETHERIMIDE.*POLYETHYLENIMINE/],
    ['an unknown solvent', solvent('WATTER'), SOLVENT, 'UNKNOWN_SOLVENT', /"WATTER".*"WATER"/],
    [
      'an unknown unit',
      withRecord({ processParameter: { voltage: 1, voltageUnit: 'kVolt' } }),
      at('processParameter.voltageUnit'),
      'UNKNOWN_UNIT',
      /"kVolt"/,
    ],
    [
      'counts per second as the unit of a viscosity',
      withRecord({ solutionProperty: { viscosity: 850, viscosityUnit: 'cps' } }),
      at('solutionProperty.viscosityUnit'),
      'UNIT_NOT_APPLICABLE',
      /"cps".*mPa·s/,
    ],
    [
      'an unknown morphology',
      withRecord({ fiberProperty: { fiberMorphology: ['Porouss'] } }),
      at('fiberProperty.fiberMorphology[0]'),
      'UNKNOWN_MORPHOLOGY',
      /"Porouss".*"Porous"/,
    ],
    [
      'an unknown instability',
      withRecord({ processParameter: { instability: [{ label: 'Raileigh' }] } }),
      at('processParameter.instability[0].label'),
      'UNKNOWN_INSTABILITY',
      /"Raileigh".*"Rayleigh"/,
    ],
    [
      'a mistyped member',
      withRecord({ processParameter: { voltge: 12 } }),
      at('processParameter.voltge'),
      'UNKNOWN_MEMBER',
      /"voltge".*"voltage"/,
    ],
    [
      'the same member in two spellings',
      withRecord({ solutionProperty: { pH: 7, PH: 8 } }),
      at('solutionProperty.PH'),
      'CONFLICTING_MEMBERS',
      /pH/,
    ],
    [
      'NaN as text',
      withRecord({ processParameter: { voltage: 'NaN' } }),
      at('processParameter.voltage'),
      'WRONG_TYPE',
      /number.*"NaN"/,
    ],
    [
      'a physically impossible value',
      withRecord({ ambientParameter: { humidity: 240 } }),
      at('ambientParameter.humidity'),
      'IMPOSSIBLE_VALUE',
      /240 %.*0 to 100 %/,
    ],
    ['NUL in a name', polymer('PVA\u0000'), POLYMER, 'INVALID_TEXT', /U\+0000/],
    ['a bidirectional override in a name', polymer('PVA\u202E'), POLYMER, 'INVALID_TEXT', /U\+202E/],
    [
      'a lone surrogate in the name of a free member',
      withRecord({ collectorProperty: { collectorDefinition: { '\ud83d': 1 } } }),
      at('collectorProperty.collectorDefinition.\ufffd'),
      'UNKNOWN_MEMBER',
      /not allowed/,
    ],
    [
      'a text that is too long',
      withRecord({ collectorProperty: { collectorType: 'x'.repeat(10_000) } }),
      at('collectorProperty.collectorType'),
      'TOO_LONG',
      /10000/,
    ],
    [
      'a free object that is too deep',
      withRecord({ collectorProperty: { collectorDefinition: nested(6) } }),
      at('collectorProperty.collectorDefinition.deeper.deeper.deeper.deeper'),
      'TOO_DEEP',
      /4 levels/,
    ],
  ])('%s', async (_, body, path, code, message) => {
    const { errors, errorCount, ...rest } = expectError(await submit(body), 400, 'VALIDATION_FAILED');
    expect(errors).toEqual([{ path, code, message: expect.stringMatching(message) }]);
    expect(errorCount).toBe(1);
    expect(rest).not.toHaveProperty('missingFields');
    await expectNothingStored();
  });

  test('1e999, which is JSON', async () => {
    const text = JSON.stringify(withRecord({ processParameter: { voltage: 4711 } })).replace('4711', '1e999');
    const { errors } = expectError(await submit(text), 400, 'VALIDATION_FAILED');
    expect(errors).toEqual([
      { path: at('processParameter.voltage'), code: 'NOT_FINITE', message: expect.stringContaining('Infinity') },
    ]);
    await expectNothingStored();
  });

  test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'a member named %s, at any position',
    async (name) => {
      const member = `"${name}":{"polluted":1}`;
      const text = `{"userMetadata":${JSON.stringify(anonymousSubmitter)},${member},"experimentData":[{
        "polymerProperty":{"polymerComponents":[{"polymerName":"PVA",${member}}]},
        "processParameter":{${member}},${member}}]}`;
      const { errors } = expectError(await submit(text), 400, 'VALIDATION_FAILED');
      expect(errors?.map(({ path, code }) => `${code} ${path}`).sort()).toEqual(
        [name, at(`polymerProperty.polymerComponents[0].${name}`), at(`processParameter.${name}`), at(name)]
          .map((path) => `UNKNOWN_MEMBER ${path}`)
          .sort(),
      );
      await expectNothingStored();
    },
  );

  test('__proto__ in a free object', async () => {
    const text = JSON.stringify(withRecord({ needleProperty: { needleDefinition: { place: 1 } } }));
    const { errors } = expectError(
      await submit(text.replace('"place":1', '"__proto__":{"x":1}')),
      400,
      'VALIDATION_FAILED',
    );
    expect(errors).toEqual([
      expect.objectContaining({ path: at('needleProperty.needleDefinition.__proto__'), code: 'UNKNOWN_MEMBER' }),
    ]);
    await expectNothingStored();
  });
});

describe('several problems', () => {
  test('are all listed, and nothing of the submission is stored', async () => {
    const body = {
      userMetadata: { ...anonymousSubmitter, email: 'nowhere' },
      researchMetadata: { titel: 'x' },
      experimentData: [
        smallRecord,
        { polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }, { polymerName: 'Nope', weightRatio: '5' }] } },
        { ...smallRecord, processParameter: { voltge: 1, flowRate: 1, flowRateUnit: 'kV' } },
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
      ].sort(),
    );
    expect(errorCount).toBe(6);
    expect(message).toContain('6');
    await expectNothingStored();
  });

  test('are counted if they are too many to list', async () => {
    const wrong = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`wrong${index}`, 1]));
    const { errors, errorCount } = expectError(
      await submit({ ...smallSubmission(), ...wrong }),
      400,
      'VALIDATION_FAILED',
    );
    expect(errors).toHaveLength(1_000);
    expect(errorCount).toBe(3_000);
    await expectNothingStored();
  });

  test('in a body that consists only of problems are reported quickly, in a small response', async () => {
    const members = Array.from({ length: 100_000 }, (_, index) => `"w${index}":1`).join(',');
    // On a busy machine, the gateway can take the long parse for a service that does not respond.
    const answer = await eventually(
      () => submit(`{"userMetadata":{},"experimentData":[{${members}}]}`),
      ({ status }) => status !== 503,
    );
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(answer.text.length).toBeLessThan(1_000_000);
    const more = await submit(
      `{"userMetadata":{},"experimentData":[{${Array.from({ length: 6 }, () => members).join(',')}}]}`,
    );
    expectError(more, 400, 'INVALID_REQUEST', /500000 members/);
    await expectNothingStored();
  });

  test('reject a whole submission, in a session too', async () => {
    const experimentData = [
      ...Array.from({ length: 20 }, () => smallRecord),
      { polymerProperty: { polymerComponents: [{ polymerName: 'Nope' }] } },
    ];
    const answer = await api.post('/data/submit', { experimentData }, { bearer: token });
    const { errors } = expectError(answer, 400, 'VALIDATION_FAILED');
    expect(errors?.map(({ path }) => path)).toEqual([POLYMER.replace('[0]', '[20]')]);
    await expectNothingStored();
  });
});

describe('a limit', () => {
  test('51 records without an account', async () => {
    expectError(await submit(smallSubmission(51)), 413, 'PAYLOAD_TOO_LARGE', /50 records, got 51\. .*token/);
    await expectNothingStored();
  });

  test('1,001 records', async () => {
    const answer = await api.post('/data/submit', smallSubmission(1_001), { bearer: token });
    const { errors } = expectError(answer, 400, 'VALIDATION_FAILED');
    expect(errors).toEqual([
      { path: 'experimentData', code: 'TOO_MANY_RECORDS', message: expect.stringMatching(/1000.*1001/) },
    ]);
    await expectNothingStored();
  });

  test('a record over 256 KB, with its largest member', async () => {
    const notes = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`note${index}`, 'x'.repeat(1_900)]));
    const body = withRecord({
      collectorProperty: { collectorType: 'flat', collectorDefinition: notes },
      needleProperty: { needleDefinition: { ...notes, note0: 'short' } },
    });
    const { errors } = expectError(await submit(body), 400, 'VALIDATION_FAILED');
    expect(errors).toEqual([
      {
        path: 'experimentData[0]',
        code: 'RECORD_TOO_LARGE',
        message: expect.stringMatching(/262144.*collectorProperty\.collectorDefinition/),
      },
    ]);
    await expectNothingStored();
  });

  test.each(['with its length', 'in chunks'])('11 MB, sent %s', async (how) => {
    const body = JSON.stringify({ ...smallSubmission(), filler: 'x'.repeat(11 * 1024 * 1024) });
    if (how === 'with its length') {
      expectError(await submit(body), 413, 'PAYLOAD_TOO_LARGE', /10485760/);
    } else {
      const head = 'POST /data/submit HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n';
      const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      const answer = await rawHttp(api.url, `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}`);
      expect([answer.status, answer.body]).toEqual([413, expect.stringContaining('PAYLOAD_TOO_LARGE')]);
    }
    await expectNothingStored();
  });

  test('10 MB are accepted', async () => {
    const body = JSON.stringify(smallSubmission());
    const padded = `${body.slice(0, -1)}${' '.repeat(10 * 1024 * 1024 - body.length)}}`;
    expect((await submit(padded)).status).toBe(201);
    await submitted();
    await expectNothingStored();
  });

  test('a million levels of objects and arrays', async () => {
    expectError(await submit('{"a":['.repeat(1_000_000)), 400, 'INVALID_REQUEST', /20 levels/);
    await expectNothingStored();
  });
});

describe('an unreadable body', () => {
  const whole = JSON.stringify(smallSubmission());

  test.each<[string, string | Buffer, RegExp]>([
    ['an unterminated string', '{"userMetadata":{"name":"Ada', /incomplete/],
    ['NaN', whole.replace('12', 'NaN'), /not JSON/],
    ['two bodies', whole + whole, /not JSON/],
    ['an unescaped NUL', whole.replace('PVA', 'PVA\u0000'), /not JSON/],
    ['nothing', '', /empty/],
    ['a byte that is not UTF-8', Buffer.from(whole.replace('PVA', 'PV\u00c4'), 'latin1'), /UTF-8/],
    [
      'a surrogate encoded in UTF-8',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0xbd]), Buffer.from('"}')]),
      /UTF-8/,
    ],
    ['UTF-16', Buffer.from(whole, 'utf16le'), /UTF-8|not JSON/],
  ])('%s', async (_, text, message) => {
    expectError(await submit(text), 400, 'INVALID_REQUEST', message);
    await expectNothingStored();
  });

  test.each(['[]', '"text"', '7', 'null', 'true'])('%s, which is not a submission', async (text) => {
    const { errors } = expectError(await submit(text), 400, 'VALIDATION_FAILED');
    expect(errors).toEqual([{ path: '', code: 'WRONG_TYPE', message: expect.stringContaining('object') }]);
    await expectNothingStored();
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a body of type %s',
    async (type) => {
      const answer = await api.post('/data/submit', Buffer.from(whole), { headers: { 'content-type': type } });
      expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE', new RegExp(type.split(';')[0] ?? ''));
      await expectNothingStored();
    },
  );

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
  for (const body of [smallSubmission(), polymer('Nope'), '{']) {
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
