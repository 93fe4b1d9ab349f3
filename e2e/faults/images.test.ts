import { readdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { startStack, type TestStack } from '@esd/testing/stack';
import { createAdmin } from '../support/admin.ts';
import { type Answer, type Api, apiAt } from '../support/api.ts';
import { query } from '../support/database.ts';
import { expectError } from '../support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { holdStatement } from '../support/hold-statement.ts';
import { imageForm, noisePng, uploadImage } from '../support/images.ts';
import { serviceCommand } from '../support/service-command.ts';
import { submission } from '../support/shapes.ts';
import { smallRecord } from '@esd/testing/records';
import { whileAway } from '../support/while-away.ts';

// The deadline of the gateway, with a margin for a busy machine.
const READ_MS = 10_000 + 1_500;
const UPLOAD_MS = 40_000 + 5_000;
const HOURS = 3_600_000;
// 18 MB, which the store receives in parts.
const LARGE_EDGE = 4_250;
const LARGE_MS = 60_000;

let stack: TestStack;
let api: Api;
let token: string;
beforeAll(async () => {
  stack = await startStack({ empty: true });
  api = apiAt(stack.url);
  ({ token } = await createAdmin(api));
});
afterAll(() => stack.stop());

const media = () => stack.databaseUrl('esd_media');
const uploaded = z.looseObject({ imageId: z.uuid(), bytes: z.int() });
const content = (imageId: string, rest = '', headers: Record<string, string> = {}) =>
  api.get(`/images/${imageId}/content${rest}`, { headers });
const upload = (file: Buffer): Promise<Answer> => {
  const { body, headers } = imageForm(file);
  return api.post('/images/upload', body, { headers, timeoutMs: LARGE_MS });
};
const imageIds = async () => (await query(media(), 'select id from image order by id')).map(({ id }) => String(id));

/** Runs a sweep as if two hours had passed, and returns the numbers of its report by their labels. */
async function sweepByHand(): Promise<Record<string, number>> {
  const { code, stdout, stderr } = await serviceCommand(stack, 'media-svc', ['sweep'], { aheadMs: 2 * HOURS });
  expect([code, stderr]).toEqual([0, '']);
  return Object.fromEntries(
    [...stdout.matchAll(/^(\d+) (images|objects|uploads) ([\w ]+?):/gm)].map(([, count, kind, what]) => [
      `${kind} ${what}`,
      Number(count),
    ]),
  );
}
const NOTHING = {
  'images deleted': 0,
  'images released': 0,
  'images reattached': 0,
  'objects removed': 0,
  'uploads to the store aborted': 0,
  'objects MISSING in the store': 0,
};

/** Checks that the database and the store contain the same images. */
async function expectReconciled(): Promise<void> {
  await sweepByHand();
  expect(await sweepByHand()).toEqual(NOTHING);
  for (const imageId of await imageIds()) {
    expect([imageId, (await content(imageId)).status]).toEqual([imageId, 200]);
  }
  // The temporary data of uploads is gone too.
  const tempStorage = join(tmpdir(), `esd-media-${stack.pid('media-svc') ?? 0}`);
  expect(
    await eventually(
      () => readdir(tempStorage),
      ({ length }) => length === 0,
    ),
  ).toEqual([]);
}

describe('while the store is down', () => {
  test('uploads fail immediately, stored images are served, and nothing is recorded partially', async () => {
    const [seen, unseen] = [await uploadImage(api), await uploadImage(api)];
    const first = await content(seen, '?size=thumb');
    const before = await imageIds();
    await whileAway(stack, 'gone', ['object-store'], async () => {
      for (const file of [noisePng(50), noisePng(2_000)]) {
        const started = Date.now();
        expectError(await upload(file), 503, 'UNAVAILABLE');
        expect(Date.now() - started).toBeLessThan(READ_MS);
      }
      expect(await imageIds()).toEqual(before);
      const cached = await content(seen, '?size=thumb');
      expect([cached.status, cached.text]).toEqual([200, first.text]);
      const etag = first.headers.get('etag') ?? '';
      expect((await content(seen, '?size=thumb', { 'if-none-match': etag })).status).toBe(304);
      expect((await content(unseen, '', { 'if-none-match': '*' })).status).toBe(304);
      const started = Date.now();
      expectError(await content(unseen), 503, 'UNAVAILABLE');
      expect(Date.now() - started).toBeLessThan(READ_MS);
      // Records without images are unaffected.
      const body = { experimentData: [{ ...smallRecord, fiberImages: [{ imageId: seen }] }] };
      expect((await api.post('/data/submit', body, { bearer: token })).status).toBe(201);
      expect((await api.get('/ready')).status).toBe(200);
      const swept = await serviceCommand(stack, 'media-svc', ['sweep']);
      expect([swept.code, swept.stdout]).toEqual([1, expect.stringContaining('Stored files cannot be reached')]);
    });
    expect((await content(unseen)).status).toBe(200);
    expect((await upload(noisePng(50))).status).toBe(201);
    await expectReconciled();
  });

  test('a store that does not respond delays an upload no longer than the deadline of the gateway', async () => {
    const before = await imageIds();
    await whileAway(stack, 'silent', ['object-store'], async () => {
      const started = Date.now();
      expectError(await upload(noisePng(LARGE_EDGE)), 503, 'UNAVAILABLE');
      expect(Date.now() - started).toBeLessThan(UPLOAD_MS);
    });
    expect(await imageIds()).toEqual(before);
    await expectReconciled();
  });
});

/** Starts the upload of a large image and waits until its bytes are on their way to the store. */
async function beginUpload(file: Buffer): Promise<{ answer: Promise<Answer | undefined> }> {
  const tempStorage = join(tmpdir(), `esd-media-${stack.pid('media-svc') ?? 0}`);
  const { body, headers } = imageForm(file);
  // A broken connection has no response to check.
  const options = { method: 'POST', body, headers, timeoutMs: LARGE_MS };
  const answer = request(`${stack.url}/images/upload`, options).catch(() => undefined);
  await eventually(
    () => readdir(tempStorage, { recursive: true }),
    (names) => names.some((name) => name.endsWith('thumb.png')),
  );
  return { answer };
}

describe('in the middle of an upload', () => {
  test('the store is killed: the image is stored completely or not at all', async () => {
    const statuses: number[] = [];
    for (const waitMs of [0, 60, 120, 240]) {
      const before = await imageIds();
      const { answer } = await beginUpload(noisePng(LARGE_EDGE));
      await sleep(waitMs);
      const response = await whileAway(stack, 'gone', ['object-store'], () => answer);
      statuses.push(response?.status ?? 0);
      expect([201, 503]).toContain(response?.status);
      const made = response?.status === 201 ? [uploaded.parse(response.json).imageId] : [];
      expect(await imageIds()).toEqual([...before, ...made].sort());
    }
    expect(statuses).toContain(503);
    await expectReconciled();
  });

  test('media-svc is killed: nothing is recorded, and the sweep deletes the rest', async () => {
    const before = await imageIds();
    const tempStorage = `esd-media-${stack.pid('media-svc') ?? 0}`;
    const { answer } = await beginUpload(noisePng(LARGE_EDGE));
    await stack.kill('media-svc');
    expect((await answer)?.status).toBe(503);
    expect(await readdir(tmpdir())).toContain(tempStorage);
    await stack.start('media-svc');
    expect(await readdir(tmpdir())).not.toContain(tempStorage);
    expect(await imageIds()).toEqual(before);
    expect((await upload(noisePng(50))).status).toBe(201);
    await expectReconciled();
  });

  test('media-svc is killed while it receives the body: the caller gets an error', async () => {
    const before = await imageIds();
    const { body, headers } = imageForm(noisePng(2_000));
    const sent = httpRequest(`${stack.url}/images/upload`, { method: 'POST', headers, agent: false });
    const status = new Promise<number | undefined>((resolve) => {
      sent.on('response', ({ statusCode }) => resolve(statusCode)).on('error', () => resolve(undefined));
    });
    sent.write(body.subarray(0, 1_000_000));
    await sleep(500);
    await whileAway(stack, 'gone', ['media-svc'], async () => {
      expect(await Promise.race([status, sleep(READ_MS)])).toBe(503);
    });
    sent.destroy();
    expect(await imageIds()).toEqual(before);
    await expectReconciled();
  });
});

describe('submission-svc killed between the reservation of an image and its claim', () => {
  const records = () => stack.databaseUrl('esd_submission');
  const recordOf = async (imageId: string) =>
    (await query(media(), 'select record_id from image where id = $1', [imageId]))[0]?.['record_id'];
  const isReserved = async (imageId: string) =>
    (await query(media(), 'select id from image where id = $1 and reserved_for is not null', [imageId])).length === 1;
  const body = (imageId: string) => ({ experimentData: [{ ...smallRecord, fiberImages: [{ imageId }] }] });
  const submit = (imageId: string, key: string) =>
    api.post('/data/submit', body(imageId), { bearer: token, headers: { 'idempotency-key': key } });

  /** Kills submission-svc; `ended` reports whether the commit is lost or succeeds without a response. */
  async function killAtCommit(imageId: string, key: string, ended: 'lost' | 'stored'): Promise<void> {
    // After the reservation.
    const hold = await holdStatement(records(), { table: 'submission', at: 'commit' });
    try {
      const answer = submit(imageId, key).catch(() => undefined);
      await hold.reached();
      expect([await recordOf(imageId), await isReserved(imageId)]).toEqual([null, true]);
      await stack.kill('submission-svc');
      if (ended === 'lost') await hold.cut();
      expect((await answer)?.status).toBe(503);
    } finally {
      await hold.release();
    }
    await stack.start('submission-svc');
    // The gateway reconnects.
    await eventually(
      () => api.get('/data/my-records/ids', { bearer: token }),
      ({ status }) => status === 200,
    );
  }
  const passHours = (imageId: string, hours: number) =>
    query(media(), 'update image set since = since - make_interval(hours => $2) where id = $1', [imageId, hours]);

  test('the commit is lost: the image remains available and is not attached permanently', async () => {
    const imageId = await uploadImage(api);
    const before = await query(records(), 'select max(id) as id from record');
    await killAtCommit(imageId, 'lost', 'lost');
    expect(await query(records(), 'select max(id) as id from record')).toEqual(before);
    expect([await recordOf(imageId), await isReserved(imageId)]).toEqual([null, true]);

    // The next record gets the id of the lost one, but not its image.
    const next = submission.parse(
      (await api.post('/data/submit', body(await uploadImage(api)), { bearer: token })).json,
    );
    const lost = next.records[0]?.recordId ?? 0;
    expect(lost).toBe(Number(before[0]?.['id']) + 1);
    const listed = await api.get(`/experiments/${lost}/images`, { bearer: token });
    expect(JSON.stringify(listed.json)).not.toContain(imageId);

    await passHours(imageId, 2);
    expect(await sweepByHand()).toMatchObject({ 'images released': 1, 'images deleted': 0 });
    expect([await recordOf(imageId), await isReserved(imageId)]).toEqual([null, false]);
    const again = await submit(imageId, 'again');
    expect([again.status, again.text]).toEqual([201, expect.any(String)]);
    await passHours(imageId, 24 * 8);
    expect(await sweepByHand()).toEqual(NOTHING);
    expect((await content(imageId)).status).toBe(200);
  });

  test('the commit succeeds: the record has its image, and a repeated request returns it', async () => {
    const imageId = await uploadImage(api);
    await killAtCommit(imageId, 'stored', 'stored');
    const replayed = await submit(imageId, 'stored');
    expect(replayed.status).toBe(201);
    const recordId = submission.parse(replayed.json).records[0]?.recordId;
    expect([await recordOf(imageId), await isReserved(imageId)]).toEqual([null, true]);
    expectError(await api.delete(`/images/${imageId}`), 409, 'CONFLICT');
    await passHours(imageId, 2);
    expect(await sweepByHand()).toMatchObject({ 'images reattached': 1, 'images deleted': 0 });
    expect([await recordOf(imageId), await isReserved(imageId)]).toEqual([recordId, false]);
    await passHours(imageId, 24 * 8);
    expect(await sweepByHand()).toEqual(NOTHING);
    expect((await content(imageId)).status).toBe(200);
  });
});
