import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Kysely } from 'kysely';
import { eraseAccount } from '../src/account/erase-account.ts';
import { findHeldImages } from '../src/images/held-images.store.ts';
import { listImages } from '../src/images/list-images.ts';
import { submit, type SubmitOutcome, type SubmitParts } from '../src/submit/submit.ts';
import type { Tables } from '../src/tables.ts';
import { imageRoad, withImages } from './image-road.ts';
import { ImageShelf } from './image-shelf.ts';
import { asking, item, keptOf, openTestDatabase, parts as partsOf, recordAt, user } from './road.ts';

let database: Kysely<Tables>;
let close: () => Promise<void>;
let shelf: ImageShelf;
let parts: SubmitParts;
let road: ReturnType<typeof imageRoad>;

beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
});
afterAll(() => close());
beforeEach(() => {
  shelf = new ImageShelf();
  parts = { ...partsOf(database), images: shelf };
  road = imageRoad(parts);
});

const NOBODY = '0197a0b0-0000-7000-8000-ffffffffffff';
const stranger = { ...user, accountId: '0190d2b0-0000-7000-8000-00000000000f' };
const bytes = (body: object) => Buffer.from(JSON.stringify(body));

async function countRecords(): Promise<number> {
  const all = await database
    .selectFrom('record')
    .select((on) => on.fn.countAll<number>().as('n'))
    .executeTakeFirst();
  return all?.n ?? 0;
}

test('a submission attaches its images and keeps what is known of them; what it leaves out is the upload’s', async () => {
  const plain = shelf.upload();
  const scaled = shelf.upload({ imageType: 'SEM', imageDefinition: { pixelSize: 5, pixelSizeUnit: 'nm' } });
  const recordId = await road.stored([
    withImages(
      { imageId: plain, width: 9_999, height: 'x', contentUrl: 'https://example.org' },
      { imageId: scaled, imageType: 'TEM' },
    ),
  ]);
  expect(await road.images(recordId)).toEqual([
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
  expect([shelf.recordOf(plain), shelf.recordOf(scaled)]).toEqual([recordId, recordId]);
  expect(JSON.parse(await listImages(database, user.accountId, recordId))).toEqual(await road.images(recordId));
  await expect(listImages(database, stranger.accountId, recordId)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
});

test('images that are unknown, taken or named twice are refused, all of them, and nothing is stored', async () => {
  const free = shelf.upload();
  const taken = shelf.upload({ recordId: 7 });
  const before = await countRecords();
  const items = [
    withImages({ imageId: free }, { imageId: NOBODY }),
    withImages({ imageId: taken }),
    withImages({ imageId: free }),
  ];
  const problems = [
    { path: 'experimentData[0].fiberImages[1].imageId', code: 'UNKNOWN_IMAGE' },
    { path: 'experimentData[1].fiberImages[0].imageId', code: 'IMAGE_TAKEN' },
    { path: 'experimentData[2].fiberImages[0].imageId', code: 'IMAGE_TAKEN' },
  ];
  expect(await road.send(items)).toMatchObject({ kind: 'invalid', problemCount: 3, problems });
  const validated = await submit(parts, {
    ...asking(user),
    json: bytes({ experimentData: items }),
    validateOnly: true,
  });
  expect(validated).toMatchObject({ kind: 'invalid', problems });
  const hundred = withImages(...Array.from({ length: 100 }, () => ({ imageId: randomUUID() })));
  expect(await road.send(Array.from({ length: 51 }, () => hundred))).toMatchObject({
    problemCount: 1,
    problems: [{ path: 'experimentData', code: 'TOO_MANY_ITEMS', message: expect.stringContaining('5100') }],
  });
  expect(await countRecords()).toBe(before);
  expect(shelf.recordOf(free)).toBeUndefined();
});

test('an image that goes to somebody else in the last moment rolls the submission back', async () => {
  const imageId = shelf.upload();
  const other = shelf.upload();
  const before = await countRecords();
  shelf.beforeReserve = () => shelf.attach(imageId, 9_999);
  expect(await road.send([item('PCL'), withImages({ imageId: other }, { imageId })])).toMatchObject({
    kind: 'invalid',
    problems: [{ path: 'experimentData[1].fiberImages[1].imageId', code: 'IMAGE_TAKEN' }],
  });
  expect(await countRecords()).toBe(before);
  expect(shelf.recordOf(other)).toBeUndefined();
});

test('while media-svc is away, submissions without images go on, those with images are refused for now', async () => {
  const imageId = shelf.upload();
  const recordId = await road.stored([item('PCL')]);
  shelf.away = true;
  const before = await countRecords();
  await expect(road.send([withImages({ imageId })])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(road.attach(recordId, { imageId })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await countRecords()).toBe(before);
  await road.stored([item('PCL')]);
  expect(await road.change(recordId, [recordAt(3, 'PVA')])).toMatchObject({ kind: 'updated' });

  shelf.away = false;
  shelf.beforeReserve = () => {
    shelf.away = true;
  };
  await expect(road.send([withImages({ imageId })])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await countRecords()).toBe(before + 1);
});

test('a reservation whose answer is lost is given up, and what the record had already stays', async () => {
  const [first, second] = [shelf.upload(), shelf.upload()];
  shelf.losesAnswersTo = 'reserve';
  await expect(road.send([withImages({ imageId: first })])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect([shelf.recordOf(first), shelf.reservations.size]).toEqual([undefined, 0]);
  shelf.losesAnswersTo = undefined;
  const recordId = await road.stored([withImages({ imageId: first })]);
  shelf.losesAnswersTo = 'reserve';
  const both = [withImages({ imageId: first }, { imageId: second })];
  await expect(road.change(recordId, both)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(road.attach(recordId, { imageId: second })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(shelf.recordOf(first)).toBe(recordId);
  expect(await road.imageIds(recordId)).toEqual([first]);
  shelf.losesAnswersTo = undefined;
  expect(await road.change(recordId, both)).toMatchObject({ kind: 'updated' });
});

test('the same idempotency key at once: one submission takes the image, the other gets its answer', async () => {
  const imageId = shelf.upload();
  const request = {
    ...asking(user),
    idempotencyKey: 'images',
    json: bytes({ experimentData: [withImages({ imageId })] }),
  };
  const later: Promise<SubmitOutcome>[] = [];
  shelf.afterReserve = async () => {
    later.push(submit(parts, request), submit(parts, request));
    // They want the image that is reserved, before the first submission is stored.
    await sleep(200);
  };
  const outcomes = [await submit(parts, request), ...(await Promise.all(later))];
  expect(outcomes.filter((outcome) => outcome.kind === 'stored')).toHaveLength(3);
  expect(outcomes.filter((outcome) => outcome.kind === 'stored' && outcome.replayed)).toHaveLength(2);
  const ids = new Set(outcomes.map((outcome) => outcome.kind === 'stored' && outcome.records[0]?.recordId));
  expect([shelf.recordOf(imageId)]).toEqual([...ids]);
});

test('an image of a submission under way is another one’s only where that comes to nothing', async () => {
  const imageId = shelf.upload();
  const silence = shelf.fallSilent('claim');
  const first = road.send([withImages({ imageId })]);
  await silence.reached;
  expect(await road.send([withImages({ imageId })], { caller: stranger })).toMatchObject({
    problems: [{ code: 'IMAGE_TAKEN' }],
  });
  silence.end();
  expect(await first).toMatchObject({ kind: 'stored' });

  const wanted = shelf.upload();
  const gone = { accountId: stranger.accountId, deletedAt: new Date() };
  shelf.afterReserve = () => eraseAccount({ database, images: shelf }, gone);
  await expect(road.send([withImages({ imageId: wanted })], { caller: stranger })).rejects.toMatchObject({
    code: 'TOKEN_INVALID',
  });
  expect(await road.send([withImages({ imageId: wanted })])).toMatchObject({ kind: 'stored' });
});

test('a claim that is lost leaves a stored record with its image reserved, for media-svc to find', async () => {
  const imageId = shelf.upload();
  shelf.afterReserve = () => {
    shelf.away = true;
    return Promise.resolve();
  };
  const recordId = await road.stored([withImages({ imageId })]);
  shelf.away = false;
  expect([shelf.recordOf(imageId), shelf.reservations.has(imageId)]).toEqual([undefined, true]);
  expect(await findHeldImages(database, [imageId])).toEqual([{ imageId, recordId }]);
  // An edit of the record waits until then, since it is the reservation of a submission.
  expect(await road.send([withImages({ imageId })])).toMatchObject({ problems: [{ code: 'IMAGE_TAKEN' }] });
});

test('a process that ends between reservation and commit leaves no record, for media-svc to find', async () => {
  const imageId = shelf.upload();
  shelf.afterReserve = () => {
    shelf.away = true;
    throw new Error('the process ends here');
  };
  await expect(road.send([withImages({ imageId })])).rejects.toThrow('ends here');
  shelf.away = false;
  expect([shelf.recordOf(imageId), shelf.reservations.has(imageId)]).toEqual([undefined, true]);
  expect(await findHeldImages(database, [imageId])).toEqual([]);
});

test('imageOnly records need an image and keep the last one', async () => {
  const imageId = shelf.upload();
  expect(await road.send([{}], { imageOnly: true })).toMatchObject({
    problems: [{ path: 'experimentData[0].fiberImages', code: 'MISSING_VALUE' }],
  });
  const recordId = await road.stored([{ fiberImages: [{ imageId }] }], { imageOnly: true });
  expect(await keptOf(database, recordId)).toMatchObject({ record: { status: 'PENDING' } });
  await expect(road.remove(imageId, recordId)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await road.imageIds(recordId)).toEqual([imageId]);
});
