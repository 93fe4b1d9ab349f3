import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { addAccount } from './support/accounts.ts';
import { type Credentials, login, newAdmin } from './support/admin.ts';
import { type Api, apiAt } from './support/api.ts';
import { submitRecords } from './support/dataset.ts';
import { download } from './support/download.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { microscopeTiff, uploadImage } from './support/images.ts';
import { page } from './support/shapes.ts';
import { smallRecord, anonymousSubmitter } from '@esd/testing/records';
import { whileAway } from './support/while-away.ts';
import { readZip } from './support/zip.ts';
import { newAddress } from './support/new-address.ts';

let stack: TestStack;
let api: Api;
let admin: string;
let adminWho: Credentials;
let owner: string;
let token: string;
let stranger: string;
beforeAll(async () => {
  stack = await leaseStack('moderated');
  api = apiAt(stack.url);
  ({ who: adminWho, token: admin } = await newAdmin(stack, api));
  owner = await login(api, (await addAccount(stack, adminWho, newAddress('owner'))).who);
  stranger = await login(api, (await addAccount(stack, adminWho, newAddress('stranger'))).who);
  const made = await api.post('/auth/tokens', { name: 'images' }, { bearer: owner });
  ({ token } = z.looseObject({ token: z.string() }).parse(made.json));
});
afterAll(() => stack.stop());

const shown = (imageId: string, members: object = {}) => ({
  imageId,
  ...members,
  width: 40,
  height: 30,
  contentUrl: `/images/${imageId}/content`,
});
const withImages = (...imageIds: string[]) => ({
  ...smallRecord,
  fiberImages: imageIds.map((imageId) => ({ imageId })),
});
const submit = async (item: object, bearer = owner): Promise<number> =>
  (await submitRecords(api, { experimentData: [item] }, bearer))[0] ?? 0;
const attach = (recordId: number, body: object, bearer = owner) =>
  api.post(`/experiments/${recordId}/images`, body, { bearer });
const listed = async (recordId: number, bearer = owner): Promise<unknown> =>
  (await api.get(`/experiments/${recordId}/images`, { bearer })).json;
const statusOf = async (recordId: number): Promise<unknown> => {
  const read = await api.get(`/data/experiment/${recordId}`, { bearer: owner });
  return z.looseObject({ experimentData: z.array(z.looseObject({})) }).parse(read.json).experimentData[0];
};
const approve = async (recordId: number): Promise<void> => {
  const { status } = await api.post(`/moderation/records/${recordId}/approve`, {}, { bearer: admin });
  expect(status).toBe(200);
};
const publicImages = async (recordId: number): Promise<unknown> => {
  const { data } = page.parse((await api.get('/public/dataset?limit=1000')).json);
  const record = data.find((one) => one.recordId === recordId);
  return record === undefined ? undefined : (record.fiberImages ?? []);
};
const untilPublic = (recordId: number, images: unknown[]) =>
  eventually(
    () => publicImages(recordId),
    (found) => JSON.stringify(found) === JSON.stringify(images),
  );
const contentStatus = async (imageId: string) => (await api.get(`/images/${imageId}/content`)).status;

test('an image is uploaded, attached, approved, and public', async () => {
  const imageDefinition = { pixelSize: 5, pixelSizeUnit: 'nm' };
  const imageId = await uploadImage(api, { imageType: 'SEM', imageDefinition: JSON.stringify(imageDefinition) });
  const recordId = await submit(smallRecord);
  expect(await listed(recordId)).toEqual([]);
  await approve(recordId);
  await untilPublic(recordId, []);

  const answer = await attach(recordId, { imageId }, token);
  const entry = shown(imageId, { imageType: 'SEM', imageDefinition });
  expect([answer.status, answer.json]).toEqual([201, entry]);
  expect(answer.headers.get('etag')).toBe(`"${recordId}-2"`);
  expect(await listed(recordId)).toEqual([entry]);
  expect(await statusOf(recordId)).toMatchObject({ status: 'PENDING', publishedRevision: 1, fiberImages: [entry] });
  expect(await publicImages(recordId)).toEqual([]);
  const review = await api.get(`/moderation/records/${recordId}`, { bearer: admin });
  expect(review.json).toMatchObject({ changes: [{ path: 'fiberImages[0]', proposed: entry }] });
  await approve(recordId);
  await untilPublic(recordId, [entry]);
  const exported = await api.get('/public/dataset/export?format=json');
  // Other tests have published on this stack before.
  expect(exported.json).toContainEqual(expect.objectContaining({ recordId, fiberImages: [entry] }));
  const archive = await download(`${stack.url}/public/dataset/export?format=zip`);
  const files = await readZip(archive.bytes);
  const content = await download(stack.url + entry.contentUrl);
  const name = `images/${recordId}/${imageId}.png`;
  expect([...files.keys()]).toEqual(expect.arrayContaining(['README.txt', name, 'manifest.csv']));
  expect(files.get(name)).toEqual(content.bytes);
  expect(files.get('manifest.csv')?.toString()).toContain(`${recordId},${imageId},${name},SEM,`);
  const made = await api.post('/public/queries', { filter: {} });
  const { id } = z.looseObject({ id: z.string() }).parse(made.json);
  for (const path of ['/release/latest', '/public/dataset/latest/metadata?format=croissant', `/query/${id}`]) {
    const shown = await fetch(stack.url + path, { signal: AbortSignal.timeout(120_000) });
    expect([path, (await shown.text()).includes('images.zip')]).toEqual([path, true]);
  }

  // The record that was read can be sent again and changes nothing.
  const own = await api.get(`/data/experiment/${recordId}`, { bearer: owner });
  const back = await api.put(`/data/update/${recordId}`, own.text, {
    bearer: owner,
    headers: { 'content-type': 'application/json' },
  });
  expect(back.json).toMatchObject({ status: 'APPROVED', message: expect.stringContaining('is unchanged') });
});

test('an image with stretched contrast says so in its record and on the page of the record', async () => {
  const imageId = await uploadImage(api, {}, microscopeTiff());
  const recordId = await submit(withImages(imageId));
  await approve(recordId);
  const imageDefinition = { pixelSize: 2.5, pixelSizeUnit: 'nm' };
  await untilPublic(recordId, [{ ...shown(imageId, { imageDefinition }), stretched: true }]);
  const recordPage = await request(`${stack.url}/record/${recordId}`, { headers: { accept: 'text/html' } });
  expect(recordPage.text).toContain('contrast stretched</p>');
});

test('images of submissions must exist, be unattached and be used by one record only', async () => {
  const [first, second] = [await uploadImage(api), await uploadImage(api)];
  const unknown = randomUUID();
  const items = [withImages(first, unknown), withImages(first)];
  const refused = await api.post('/data/submit', { userMetadata: anonymousSubmitter, experimentData: items });
  expect(expectError(refused, 400, 'VALIDATION_FAILED').errors).toMatchObject([
    { path: 'experimentData[0].fiberImages[1].imageId', code: 'UNKNOWN_IMAGE' },
    { path: 'experimentData[1].fiberImages[0].imageId', code: 'IMAGE_TAKEN' },
  ]);
  // The image is still unattached: rejected requests reserved nothing.
  const recordId = await submit(withImages(first));
  expect(await listed(recordId)).toEqual([shown(first)]);
  const again = await api.post(
    '/data/submit?validate=only',
    { experimentData: [withImages(first)] },
    { bearer: owner },
  );
  expect(expectError(again, 400, 'VALIDATION_FAILED').errors).toMatchObject([{ code: 'IMAGE_TAKEN' }]);
  expectError(await attach(await submit(smallRecord), { imageId: first }), 400, 'VALIDATION_FAILED', /1 problem/);

  const alone = { userMetadata: anonymousSubmitter, imageOnly: true, experimentData: [{}] };
  expectError(await api.post('/data/submit', alone), 400, 'VALIDATION_FAILED');
  const imageOnly = { ...alone, experimentData: [{ fiberImages: [{ imageId: second }] }] };
  expect((await api.post('/data/submit', imageOnly)).status).toBe(201);
  // A record without an owner and without other data than its image.
  expectError(await api.delete(`/images/${second}`, { bearer: owner }), 404, 'IMAGE_NOT_FOUND');
  expectError(await api.delete(`/images/${second}`, { bearer: admin }), 409, 'CONFLICT', /imageOnly/);
});

test('only the owner can attach and list images; others get RECORD_NOT_FOUND', async () => {
  const recordId = await submit(smallRecord);
  const imageId = await uploadImage(api);
  expectError(await api.post(`/experiments/${recordId}/images`, { imageId }), 401, 'AUTH_REQUIRED');
  expectError(await api.get(`/experiments/${recordId}/images`), 401, 'AUTH_REQUIRED');
  for (const bearer of [stranger, admin]) {
    expectError(await attach(recordId, { imageId }, bearer), 404, 'RECORD_NOT_FOUND');
    expectError(await api.get(`/experiments/${recordId}/images`, { bearer }), 404, 'RECORD_NOT_FOUND');
  }
  expectError(await attach(999_999, { imageId }), 404, 'RECORD_NOT_FOUND');
  expectError(await attach(recordId, { imageId: 'x' }), 400, 'VALIDATION_FAILED');
  expectError(await attach(recordId, []), 400, 'VALIDATION_FAILED');
  expectError(await api.post('/experiments/x/images', { imageId }, { bearer: owner }), 400, 'INVALID_PARAMETER');
});

test('an image that was never public is deleted immediately, by its owner or an administrator', async () => {
  const [own, others] = [await uploadImage(api), await uploadImage(api)];
  const recordId = await submit(withImages(own, others));
  expectError(await api.delete(`/images/${own}`), 401, 'AUTH_REQUIRED');
  expectError(await api.delete(`/images/${own}`, { bearer: stranger }), 404, 'IMAGE_NOT_FOUND');
  expectError(await api.delete(`/images/${own}`, { bearer: 'x' }), 401, 'TOKEN_INVALID');
  expect(await contentStatus(own)).toBe(200);
  expect((await api.delete(`/images/${own}`, { bearer: token })).status).toBe(200);
  expect(await listed(recordId)).toEqual([shown(others)]);
  expect(await contentStatus(own)).toBe(404);
  expectError(await api.delete(`/images/${own}`, { bearer: owner }), 404, 'IMAGE_NOT_FOUND');
  expect((await api.delete(`/images/${others}`, { bearer: admin })).json).toMatchObject({ success: true });
  expect(await listed(recordId)).toEqual([]);
  expect(await statusOf(recordId)).toMatchObject({ status: 'PENDING', revision: 3 });
});

test('the deletion of a public image awaits approval, and its bytes remain', async () => {
  const imageId = await uploadImage(api);
  const recordId = await submit(withImages(imageId));
  await approve(recordId);
  await untilPublic(recordId, [shown(imageId)]);
  for (let time = 0; time < 2; time++) {
    const removed = await api.delete(`/images/${imageId}`, { bearer: owner });
    expect([removed.status, removed.json]).toEqual([202, { success: true, message: expect.stringMatching(/review/) }]);
  }
  expect(await publicImages(recordId)).toEqual([shown(imageId)]);
  expect(await listed(recordId)).toEqual([]);
  await approve(recordId);
  await untilPublic(recordId, []);
  expect(await contentStatus(imageId)).toBe(200);
  expect((await api.delete(`/images/${imageId}`, { bearer: owner })).status).toBe(200);
  expectError(await api.delete(`/images/${imageId}`), 401, 'AUTH_REQUIRED');
  expect(await contentStatus(imageId)).toBe(200);
});

test('an image that an update omits is unattached again', async () => {
  const imageId = await uploadImage(api);
  const recordId = await submit(withImages(imageId));
  const update = await api.put(`/data/update/${recordId}`, { experimentData: [smallRecord] }, { bearer: owner });
  expect(update.status).toBe(200);
  const another = await submit(smallRecord);
  expect((await attach(another, { imageId, imageType: 'TEM' })).json).toEqual(shown(imageId, { imageType: 'TEM' }));
});

test('if many records attach one image simultaneously, exactly one gets it', async () => {
  const imageId = await uploadImage(api);
  const ids = await Promise.all(Array.from({ length: 4 }, () => submit(smallRecord)));
  const answers = await Promise.all([
    ...ids.map((id) => attach(id, { imageId })),
    ...Array.from({ length: 4 }, () =>
      api.post('/data/submit', { experimentData: [withImages(imageId)] }, { bearer: owner }),
    ),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 400)]);
});

test('while media-svc is down, records without images are accepted and records with images are rejected', async () => {
  const imageId = await uploadImage(api);
  const recordId = await submit(smallRecord);
  // Suspended first, because a killed process is detected without a wait.
  for (const how of ['silent', 'gone'] as const) {
    await whileAway(stack, how, ['media-svc'], async () => {
      const submitBoth = async (): Promise<boolean> => {
        let isAnswered = false;
        const withOne = api.post('/data/submit', { experimentData: [withImages(imageId)] }, { bearer: owner });
        const refused = Promise.all([withOne, attach(recordId, { imageId })]).finally(() => {
          isAnswered = true;
        });
        for (let time = 0; time < 3; time++) await submit(smallRecord);
        const isFirst = !isAnswered;
        for (const answer of await refused) expectError(answer, 503, 'UNAVAILABLE');
        return isFirst;
      };
      // Records without images do not wait. On a busy machine, they can take longer than the limit of the others.
      await eventually(submitBoth, (isFirst) => isFirst || how === 'gone');
      expect(await listed(recordId)).toEqual([]);
    });
  }
  const attached = await eventually(
    () => attach(recordId, { imageId }),
    ({ status }) => status !== 503,
  );
  expect(attached.status).toBe(201);
});

test('deleting an account deletes its images that were never public', async () => {
  const { who } = await addAccount(stack, adminWho, newAddress('leaving'));
  const leaving = await login(api, who);
  const [never, published] = [await uploadImage(api), await uploadImage(api)];
  await submit(withImages(never), leaving);
  const recordId = await submit(withImages(published), leaving);
  await approve(recordId);
  await untilPublic(recordId, [shown(published)]);
  const gone = await api.delete('/auth/profile', { bearer: leaving, body: { password: who.password } });
  expect(gone.status).toBe(200);
  await eventually(
    () => contentStatus(never),
    (status) => status === 404,
  );
  expect(await contentStatus(published)).toBe(200);
  expect((await api.delete(`/images/${published}`, { bearer: admin })).status).toBe(202);
});
