import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, expect, jest, test } from '@jest/globals';
import { eraseAccount } from '../../src/account/erase-account.ts';
import { findImageUses } from '../../src/records/image-use.store.ts';
import { listImages } from '../../src/images/list-images.ts';
import { submit, type SubmitResult, type SubmitContext } from '../../src/submit/submit.ts';
import { imageCalls, withImages } from '../image-builders.ts';
import { InMemoryImages } from '../in-memory-images.ts';
import { recordAt, recordOf } from '@esd/testing/records';
import { submitRequest, storedRecord, openTestDatabase, testContext, user, refusal } from '../builders.ts';

let media: InMemoryImages;
let context: SubmitContext;
let calls: ReturnType<typeof imageCalls>;
const { database, close } = await openTestDatabase();
afterAll(() => close());
beforeEach(() => {
  media = new InMemoryImages();
  context = { ...testContext(database), images: media };
  calls = imageCalls(context);
});

const UNKNOWN_IMAGE = '0197a0b0-0000-7000-8000-ffffffffffff';
const otherUser = { ...user, accountId: '0190d2b0-0000-7000-8000-00000000000f' };
const bytes = (body: object) => Buffer.from(JSON.stringify(body));

async function countRecords(): Promise<number> {
  const all = await database
    .selectFrom('record')
    .select((on) => on.fn.countAll<number>().as('n'))
    .executeTakeFirst();
  return all?.n ?? 0;
}

test('a submission attaches its images and completes their entries from the uploads', async () => {
  const plain = media.upload();
  const scaled = media.upload({ imageType: 'SEM', imageDefinition: { pixelSize: 5, pixelSizeUnit: 'nm' } });
  const recordId = await calls.stored([
    withImages(
      { imageId: plain, width: 9_999, height: 'x', contentUrl: 'https://example.org' },
      { imageId: scaled, imageType: 'TEM' },
    ),
  ]);
  expect(await calls.images(recordId)).toEqual([
    { imageId: plain, width: 40, height: 30, contentUrl: `/images/${plain}/content` },
    {
      imageId: scaled,
      imageType: 'TEM',
      imageDefinition: { pixelSize: 5, pixelSizeUnit: 'nm' },
      width: 40,
      height: 30,
      contentUrl: `/images/${scaled}/content`,
    },
  ]);
  expect([media.recordOf(plain), media.recordOf(scaled)]).toEqual([recordId, recordId]);
  expect(JSON.parse(await listImages(database, user.accountId, recordId))).toEqual(await calls.images(recordId));
  await expect(listImages(database, otherUser.accountId, recordId)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
});

test('unknown, taken, and repeated images are all reported, and nothing is stored', async () => {
  const free = media.upload();
  const taken = media.upload({ recordId: 7 });
  const before = await countRecords();
  const items = [
    withImages({ imageId: free }, { imageId: UNKNOWN_IMAGE }),
    withImages({ imageId: taken }),
    withImages({ imageId: free }),
  ];
  const problems = [
    { path: 'experimentData[0].fiberImages[1].imageId', code: 'UNKNOWN_IMAGE' },
    { path: 'experimentData[1].fiberImages[0].imageId', code: 'IMAGE_TAKEN' },
    { path: 'experimentData[2].fiberImages[0].imageId', code: 'IMAGE_TAKEN' },
  ];
  expect(await refusal(calls.send(items))).toMatchObject({
    code: 'VALIDATION_FAILED',
    errorCount: 3,
    errors: problems,
  });
  const validated = submit(context, {
    ...submitRequest(user),
    json: bytes({ experimentData: items }),
    validateOnly: true,
  });
  expect(await refusal(validated)).toMatchObject({ code: 'VALIDATION_FAILED', errors: problems });
  const hundred = withImages(...Array.from({ length: 100 }, () => ({ imageId: randomUUID() })));
  expect(await refusal(calls.send(Array.from({ length: 51 }, () => hundred)))).toMatchObject({
    errorCount: 1,
    errors: [{ path: 'experimentData', code: 'TOO_MANY_ITEMS', message: expect.stringContaining('5100') }],
  });
  expect(await countRecords()).toBe(before);
  expect(media.recordOf(free)).toBeUndefined();
});

test('a submission is rolled back if another record takes its image at the last moment', async () => {
  const imageId = media.upload();
  const other = media.upload();
  const before = await countRecords();
  media.beforeReserve = () => media.attach(imageId, 9_999);
  expect(await refusal(calls.send([recordOf('PCL'), withImages({ imageId: other }, { imageId })]))).toMatchObject({
    code: 'VALIDATION_FAILED',
    errors: [{ path: 'experimentData[1].fiberImages[1].imageId', code: 'IMAGE_TAKEN' }],
  });
  expect(await countRecords()).toBe(before);
  expect(media.recordOf(other)).toBeUndefined();
});

test('while media-svc is down, only submissions without images are stored', async () => {
  const imageId = media.upload();
  const recordId = await calls.stored([recordOf('PCL')]);
  media.isDown = true;
  const before = await countRecords();
  await expect(calls.send([withImages({ imageId })])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(calls.attach(recordId, { imageId })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await countRecords()).toBe(before);
  await calls.stored([recordOf('PCL')]);
  await calls.change(recordId, [recordAt(3, 'PVA')]);

  media.isDown = false;
  media.beforeReserve = () => {
    media.isDown = true;
  };
  await expect(calls.send([withImages({ imageId })])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await countRecords()).toBe(before + 1);
});

test('a reservation whose response is lost is canceled, and the record keeps its earlier images', async () => {
  const [first, second] = [media.upload(), media.upload()];
  media.losesResponsesOf = 'reserve';
  await expect(calls.send([withImages({ imageId: first })])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect([media.recordOf(first), media.reservations.size]).toEqual([undefined, 0]);
  media.losesResponsesOf = undefined;
  const recordId = await calls.stored([withImages({ imageId: first })]);
  media.losesResponsesOf = 'reserve';
  const both = [withImages({ imageId: first }, { imageId: second })];
  await expect(calls.change(recordId, both)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(calls.attach(recordId, { imageId: second })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(media.recordOf(first)).toBe(recordId);
  expect(await calls.imageIds(recordId)).toEqual([first]);
  media.losesResponsesOf = undefined;
  await calls.change(recordId, both);
});

test('of concurrent submissions with one idempotency key, one takes the image and the others return its response', async () => {
  const imageId = media.upload();
  const request = {
    ...submitRequest(user),
    idempotencyKey: 'images',
    json: bytes({ experimentData: [withImages({ imageId })] }),
  };
  const later: Promise<SubmitResult>[] = [];
  const reserve = jest.spyOn(media, 'reserve');
  media.afterReserve = async () => {
    later.push(submit(context, request), submit(context, request));
    // They reserve the image before the first submission is stored. One that ends earlier would leave the first one waiting.
    const ended = Promise.any(later).then(() => Promise.reject(new Error('a submission ended without a reservation')));
    while (reserve.mock.calls.length < 3) await Promise.race([sleep(5), ended]);
  };
  const outcomes = [await submit(context, request), ...(await Promise.all(later))];
  expect(outcomes.filter((outcome) => outcome.kind === 'stored')).toHaveLength(3);
  expect(outcomes.filter((outcome) => outcome.kind === 'stored' && outcome.replayed)).toHaveLength(2);
  const ids = new Set(outcomes.map((outcome) => outcome.kind === 'stored' && outcome.records[0]?.recordId));
  expect([media.recordOf(imageId)]).toEqual([...ids]);
});

test('an image of a submission in progress is free for another one only if the first fails', async () => {
  const imageId = media.upload();
  const blocked = media.block('claim');
  const first = calls.send([withImages({ imageId })]);
  await blocked.reached;
  expect(await refusal(calls.send([withImages({ imageId })], { caller: otherUser }))).toMatchObject({
    errors: [{ code: 'IMAGE_TAKEN' }],
  });
  blocked.end();
  expect(await first).toMatchObject({ kind: 'stored' });

  const wanted = media.upload();
  const gone = { accountId: otherUser.accountId, deletedAt: new Date() };
  media.afterReserve = () => eraseAccount({ database, images: media }, gone);
  await expect(calls.send([withImages({ imageId: wanted })], { caller: otherUser })).rejects.toMatchObject({
    code: 'TOKEN_INVALID',
  });
  expect(await calls.send([withImages({ imageId: wanted })])).toMatchObject({ kind: 'stored' });
});

test('a lost claim leaves a stored record with a reserved image, which media-svc can resolve', async () => {
  const imageId = media.upload();
  media.afterReserve = () => {
    media.isDown = true;
    return Promise.resolve();
  };
  const recordId = await calls.stored([withImages({ imageId })]);
  media.isDown = false;
  expect([media.recordOf(imageId), media.reservations.has(imageId)]).toEqual([undefined, true]);
  expect(await findImageUses(database, [imageId])).toEqual([{ imageId, recordId }]);
  // Until then, other submissions cannot use the image.
  expect(await refusal(calls.send([withImages({ imageId })]))).toMatchObject({ errors: [{ code: 'IMAGE_TAKEN' }] });
});

test('a process that ends between reservation and commit leaves a reserved image, which media-svc can resolve', async () => {
  const imageId = media.upload();
  media.afterReserve = () => {
    media.isDown = true;
    throw new Error('the process ends here');
  };
  await expect(calls.send([withImages({ imageId })])).rejects.toThrow('ends here');
  media.isDown = false;
  expect([media.recordOf(imageId), media.reservations.has(imageId)]).toEqual([undefined, true]);
  expect(await findImageUses(database, [imageId])).toEqual([]);
});

test('an imageOnly record requires an image and cannot lose its last one', async () => {
  const imageId = media.upload();
  expect(await refusal(calls.send([{}], { imageOnly: true }))).toMatchObject({
    errors: [{ path: 'experimentData[0].fiberImages', code: 'MISSING_VALUE' }],
  });
  const recordId = await calls.stored([{ fiberImages: [{ imageId }] }], { imageOnly: true });
  expect(await storedRecord(database, recordId)).toMatchObject({ record: { status: 'PENDING' } });
  await expect(calls.remove(imageId, recordId)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await calls.imageIds(recordId)).toEqual([imageId]);
});
