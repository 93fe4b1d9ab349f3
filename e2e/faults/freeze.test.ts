import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { startStack, type TestStack } from '@esd/testing/stack';
import { verifyRelease } from '@esd/tools/verify-release';
import { createAdmin } from '../support/admin.ts';
import { type Api, apiAt } from '../support/api.ts';
import { query } from '../support/database.ts';
import { approveRecords, submitRecords, untilTotal } from '../support/dataset.ts';
import { expectError } from '../support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { holdStatement, type HoldPoint } from '../support/hold-statement.ts';
import { imageForm, noisePng, uploadImage } from '../support/images.ts';
import { beginDownload } from '../support/slow-download.ts';
import { storedObjects } from '../support/stored-objects.ts';
import { smallRecord, smallSubmission } from '@esd/testing/records';
import { whileAway } from '../support/while-away.ts';

const FORMATS = ['json', 'csv', 'xlsx', 'parquet', 'zip'];
const noted = (format: string): [string, HoldPoint] => [
  `the ${format} file is stored`,
  { table: 'freeze_file', at: 'insert', when: `new.format = '${format}'` },
];

/** The writes of export-svc during a freeze, in order; each ends a step. */
const STEPS: [string, HoldPoint][] = [
  ['the job is created', { table: 'freeze_job', at: 'insert' }],
  [
    'the state is reserved',
    { table: 'freeze_job', at: 'update', when: 'old.release_id is null and new.release_id is not null' },
  ],
  noted('json'),
  [
    'the digest is stored',
    { table: 'freeze_job', at: 'update', when: 'old.digest is null and new.digest is not null' },
  ],
  ...FORMATS.slice(1).map(noted),
  ['the job is frozen', { table: 'freeze_job', at: 'update', when: `old.state <> 'FROZEN' and new.state = 'FROZEN'` }],
  ['the event is written', { table: 'outbox', at: 'insert' }],
  ['the event is committed', { table: 'outbox', at: 'commit' }],
  ['the event is published', { table: 'outbox', at: 'update', when: 'new.published_at is not null' }],
];
const PUBLISHED = 'the event is published';

/** Such an image has 17.6 MB, and the limit of an upload is 20 MB. */
const LARGE_EDGE = 4_200;

let stack: TestStack;
let api: Api;
let token: string;
beforeAll(async () => {
  stack = await startStack({ empty: true });
  api = apiAt(stack.url);
  ({ token } = await createAdmin(api));
  const images = [await uploadImage(api), await uploadImage(api)];
  const withImages = { ...smallRecord, fiberImages: images.map((imageId) => ({ imageId })) };
  await publish({ experimentData: [withImages] });
  await publish(smallSubmission(20));
  await untilTotal(api, 21);
});
afterAll(() => stack.stop());

/** Publishes a record with images that together exceed every buffer between the store and a reader that pauses. */
async function publishLargeRecord(): Promise<void> {
  const fiberImages: object[] = [];
  for (let sent = 0; sent <= (await bufferedBytes()); sent += LARGE_EDGE ** 2) {
    const { body, headers } = imageForm(noisePng(LARGE_EDGE));
    // On a busy machine, media-svc refuses uploads for a moment.
    const { status, json } = await eventually(
      () => api.post('/images/upload', body, { headers, timeoutMs: 60_000 }),
      (answer) => answer.status !== 503,
      120_000,
    );
    expect([status, json]).toEqual([status, expect.objectContaining({ imageId: expect.any(String) })]);
    const { imageId } = z.looseObject({ imageId: z.uuid() }).parse(json);
    fiberImages.push({ imageId });
  }
  await publish({ experimentData: [{ ...smallRecord, fiberImages }] });
}

/** Returns what store, export-svc, gateway and reader can buffer: the sockets of three connections, and some in each process. */
async function bufferedBytes(): Promise<number> {
  const limits = ['tcp_rmem', 'tcp_wmem'].map(async (name) => {
    const text = await readFile(`/proc/sys/net/ipv4/${name}`, 'utf8').catch(() => `0 0 ${8 * 2 ** 20}`);
    return Number(text.trim().split(/\s+/)[2]);
  });
  const [receive = 0, send = 0] = await Promise.all(limits);
  return 3 * (receive + send + 2 ** 23);
}

async function publish(body: object): Promise<void> {
  await approveRecords(api, await submitRecords(api, body, token), token);
}

const versionList = z.array(
  z.looseObject({
    versionIdentifier: z.string(),
    files: z.array(z.looseObject({ format: z.string(), bytes: z.int(), sha256: z.string() })),
  }),
);
const list = async () => versionList.parse((await api.get('/public/dataset/versions')).json);
const listed = async () => (await list()).map(({ versionIdentifier }) => versionIdentifier);
const begin = (versionIdentifier: string) =>
  api.post('/admin/versions', { versionIdentifier }, { bearer: token, timeoutMs: 40_000 });
const exports = () => stack.databaseUrl('esd_export');

async function untilListed(identifier: string, timeoutMs = 60_000): Promise<void> {
  await eventually(listed, (all) => all.includes(identifier), timeoutMs);
}

async function expectWhole(identifier: string): Promise<void> {
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const isWhole = await verifyRelease({
    url: stack.url,
    version: identifier,
    signal: AbortSignal.timeout(60_000),
    say,
  });
  expect([isWhole, lines]).toEqual([true, expect.anything()]);
}

async function expectUnknown(identifier: string): Promise<void> {
  expect(await listed()).not.toContain(identifier);
  for (const path of [identifier, `${identifier}/export?format=json`, `${identifier}/export?format=zip`]) {
    expectError(await api.get(`/public/dataset/${path}`), 404, 'VERSION_NOT_FOUND');
  }
}

/** Expires the leases, as happens 30 s after their holder was killed. */
const endLeases = () =>
  query(exports(), `update freeze_job set lease_until = now() - interval '1 second' where lease_until is not null`);

describe.each(['before', 'after'] as const)('export-svc killed %s', (when) => {
  test.each(STEPS)('%s: the release is listed once and completely', async (step, point) => {
    const number = STEPS.findIndex(([name]) => name === step);
    const identifier = `v${when === 'before' ? 1 : 2}.0.${number}`;
    const before = await listed();
    const hold = await holdStatement(exports(), point);
    try {
      const answer = begin(identifier).catch(() => undefined);
      await hold.reached();
      if (step !== PUBLISHED) await expectUnknown(identifier);
      await stack.kill('export-svc');
      if (when === 'before') await hold.cut();
      const status = (await answer)?.status;
      expect([status, number < 2]).toEqual([number < 2 ? 503 : 202, number < 2]);
    } finally {
      await hold.release();
    }
    if (step !== PUBLISHED) expect(await listed()).toEqual(before);
    await endLeases();
    await stack.start('export-svc');
    // A client without a response repeats the request, which starts a freeze only if none has begun.
    const again = await eventually(
      () => begin(identifier),
      ({ status }) => status !== 503,
    );
    expect(again.status).toBe(when === 'before' && number === 0 ? 202 : 409);
    await untilListed(identifier);
    expect((await listed()).sort()).toEqual([...before, identifier].sort());
    await expectWhole(identifier);
  });
});

test('the lease of a killed process expires by itself', async () => {
  const hold = await holdStatement(exports(), noted('csv')[1]);
  try {
    expect((await begin('v3.0.0')).status).toBe(202);
    await hold.reached();
    await stack.kill('export-svc');
    await hold.cut();
  } finally {
    await hold.release();
  }
  await stack.start('export-svc');
  await untilListed('v3.0.0', 60_000);
  await expectWhole('v3.0.0');
});

test('the store killed in the middle of a build: the freeze continues when it is back', async () => {
  const hold = await holdStatement(exports(), noted('json')[1]);
  try {
    expect((await begin('v4.0.0')).status).toBe(202);
    await hold.reached();
    await stack.kill('object-store');
  } finally {
    await hold.release();
  }
  await sleep(5_000);
  await expectUnknown('v4.0.0').catch(async (error: unknown) => {
    await stack.start('object-store');
    throw error;
  });
  await stack.start('object-store');
  await untilListed('v4.0.0');
  await expectWhole('v4.0.0');
});

test('after all kills, each release is published once and the store contains exactly its files', async () => {
  const versions = await listed();
  expect(versions).toHaveLength(2 * STEPS.length + 2);
  const jobs = await query(exports(), 'select identifier, state from freeze_job order by identifier');
  expect(jobs).toEqual(versions.sort().map((one) => ({ identifier: one, state: 'FROZEN' })));
  const [events] = await query(exports(), 'select count(*) as all, count(published_at) as published from outbox');
  expect(events).toEqual({ all: versions.length, published: versions.length });
  const files = await query(exports(), 'select object_key from freeze_file order by object_key');
  expect(files).toHaveLength(FORMATS.length * versions.length);
  expect(await storedObjects(stack, 'esd-exports', 'versions')).toEqual(
    files.map(({ object_key }) => object_key).sort(),
  );
});

describe('a file that no buffer can contain', () => {
  beforeAll(async () => {
    await publishLargeRecord();
    await untilTotal(api, 22);
  });

  test('the store killed in the middle of a download: the reader detects it and resumes later', async () => {
    expect((await begin('v5.0.0')).status).toBe(202);
    await untilListed('v5.0.0');
    const zip = (await list())[0]?.files.find(({ format }) => format === 'zip');
    const path = `${stack.url}/public/dataset/v5.0.0/export?format=zip`;

    const slow = await beginDownload(path);
    expect(slow.status).toBe(200);
    const { complete, text } = await whileAway(stack, 'gone', ['object-store'], async () => {
      const cut = await slow.finish();
      expectError(await api.get('/public/dataset/v5.0.0/export?format=zip'), 503, 'UNAVAILABLE');
      return cut;
    });
    expect([complete, text.length < (zip?.bytes ?? 0)]).toEqual([false, true]);
    const rest = await fetch(path, { headers: { range: 'bytes=1000-' }, signal: AbortSignal.timeout(30_000) });
    expect([rest.status, (await rest.bytes()).length]).toEqual([206, (zip?.bytes ?? 0) - 1_000]);
    const whole = await fetch(path, { signal: AbortSignal.timeout(30_000) });
    expect(
      createHash('sha256')
        .update(await whole.bytes())
        .digest('hex'),
    ).toBe(zip?.sha256);
  });

  test('the store or export-svc killed in the middle of a file with a stable URL: the reader detects it and resumes with a range', async () => {
    expect((await begin('v6.0.0')).status).toBe(202);
    await untilListed('v6.0.0');
    for (const [name, service] of [
      ['images.zip', 'export-svc'],
      ['bundle.zip', 'object-store'],
    ] as const) {
      const path = `${stack.url}/files/v6.0.0/${name}`;
      const read = async (range?: string) => {
        const answer = await fetch(path, { headers: range ? { range } : {}, signal: AbortSignal.timeout(30_000) });
        return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
      };
      const whole = await read();
      expect(whole.status).toBe(200);
      const slow = await beginDownload(path);
      const { complete, text } = await whileAway(stack, 'gone', [service], async () => {
        const cut = await slow.finish();
        expectError(await api.get(`/files/v6.0.0/${name}`, { timeoutMs: 40_000 }), 503, 'UNAVAILABLE');
        return cut;
      });
      expect([slow.status, complete, text.length < whole.bytes.length]).toEqual([200, false, true]);
      // A restarted store needs a moment.
      const rest = await eventually(
        () => read('bytes=1000-'),
        ({ status }) => status !== 503,
        60_000,
      );
      expect([rest.status, rest.bytes.equals(whole.bytes.subarray(1_000))]).toEqual([206, true]);
    }
  });
});
