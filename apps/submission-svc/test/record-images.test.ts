import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Kysely } from 'kysely';
import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import type { Caller } from '@esd/service/assertion';
import { eraseAccount } from '../src/account/erase-account.ts';
import { attachImage } from '../src/images/attach-image.ts';
import { findHeldImages } from '../src/images/held-images.store.ts';
import { rejectRecords } from '../src/review/review.ts';
import { imageUseRpc } from '../src/rpc/image-use.rpc.ts';
import type { SubmitParts } from '../src/submit/submit.ts';
import type { Tables } from '../src/tables.ts';
import { call, imageRoad, withImages } from './image-road.ts';
import { ImageShelf } from './image-shelf.ts';
import { admin, item, keptOf, moderator, openTestDatabase, parts as partsOf, user } from './road.ts';

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
const stranger: Caller = { ...user, accountId: '0190d2b0-0000-7000-8000-00000000000f' };
const pat: Caller = { ...user, credential: 'pat' };

test('an attached image is a new revision; what is public does not show it before the approval', async () => {
  const imageId = shelf.upload({ imageType: 'SEM' });
  const recordId = await road.stored([item('PCL')]);
  await road.approve(recordId);
  const image = { imageId, imageType: 'SEM', width: 40, height: 30, contentUrl: `/images/${imageId}/content` };
  expect(await road.attach(recordId, { imageId })).toEqual({ kind: 'attached', image, entityTag: `${recordId}-2` });
  const kept = await keptOf(database, recordId);
  expect(kept.record).toEqual({ status: 'PENDING', revision: 2, published: 1 });
  const [first, second] = kept.revisions;
  expect(second?.data).toEqual({ ...first?.data, fiberImages: [image] });
  expect(second?.content_hash).not.toEqual(first?.content_hash);
  expect(second).toMatchObject({ missing_fields: [], duplicate_hash: first?.duplicate_hash, image_ids: [imageId] });
  expect(kept.audit.at(-1)).toMatchObject({ action: 'update', record_revision: 2, actor_account_id: user.accountId });

  // Again: nothing to do. With other words: those.
  expect(await road.attach(recordId, { imageId })).toMatchObject({ kind: 'attached', entityTag: `${recordId}-2` });
  expect(await road.attach(recordId, { imageId, imageType: 'TEM' })).toMatchObject({
    image: { ...image, imageType: 'TEM' },
    entityTag: `${recordId}-3`,
  });
  expect(await road.imageIds(recordId)).toEqual([imageId]);

  const published = async () => {
    const rows = await database.selectFrom('outbox').select(['subject', 'body']).orderBy('sequence').execute();
    const approved = rows.filter(({ subject }) => subject === 'esd.record.approved.v1');
    const bodies = approved
      .map(({ body }) => RecordApproved.decode(body))
      .filter((event) => event.recordId === recordId);
    return bodies.map(({ recordJson }): unknown => JSON.parse(Buffer.from(recordJson).toString()));
  };
  expect(await published()).toEqual([expect.not.objectContaining({ fiberImages: expect.anything() })]);
  await road.approve(recordId);
  expect(await published()).toEqual([
    expect.anything(),
    expect.objectContaining({ fiberImages: [{ ...image, imageType: 'TEM' }] }),
  ]);
});

test('attaching follows the rules of an update, and is the owner’s alone', async () => {
  const recordId = await road.stored([item('PCL')]);
  const incomplete = await road.stored([item()], { caller: pat });
  const imageId = shelf.upload();
  for (const caller of [stranger, admin, moderator]) {
    await expect(road.attach(recordId, { imageId }, caller)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
  }
  // What was missing is not asked of whoever only adds an image.
  expect(await road.attach(incomplete, { imageId })).toMatchObject({ kind: 'attached' });
  expect(await keptOf(database, incomplete)).toMatchObject({ record: { status: 'NEEDS_UPDATE', revision: 2 } });
  await rejectRecords(database, [{ recordId, revision: undefined }], 'No image.', moderator, 'test');
  expect(await road.attach(recordId, { imageId: shelf.upload() })).toMatchObject({ kind: 'attached' });
  expect(await keptOf(database, recordId)).toMatchObject({ record: { status: 'PENDING', revision: 2 } });

  const texts = Array.from({ length: 90 }, () => 'é'.repeat(1_900));
  const refusals: [object, object][] = [
    [{ imageId: NOBODY }, { path: 'imageId', code: 'UNKNOWN_IMAGE' }],
    [{ imageId }, { path: 'imageId', code: 'IMAGE_TAKEN' }],
    [{}, { path: 'imageId', code: 'MISSING_VALUE' }],
    [
      { imageId: shelf.upload(), imageTyp: 'SEM' },
      { path: 'imageTyp', code: 'UNKNOWN_MEMBER' },
    ],
    [
      { imageId: shelf.upload(), imageDefinition: { texts } },
      { path: '', code: 'RECORD_TOO_LARGE' },
    ],
  ];
  for (const [body, problem] of refusals) {
    expect(await road.attach(recordId, body)).toMatchObject({ kind: 'invalid', problems: [problem] });
  }
  expect(await attachImage(parts, { ...call(), recordId, caller: user, json: Buffer.from('{') })).toMatchObject({
    kind: 'unreadable',
  });
  const late = shelf.upload();
  shelf.beforeReserve = () => shelf.images.delete(late);
  expect(await road.attach(recordId, { imageId: late })).toMatchObject({ problems: [{ code: 'UNKNOWN_IMAGE' }] });
  expect(await keptOf(database, recordId)).toMatchObject({ record: { revision: 2 } });
});

test('a record holds 100 images and no more, however they come', async () => {
  const uploads = Array.from({ length: 100 }, () => ({ imageId: shelf.upload() }));
  const recordId = await road.stored([withImages(...uploads.slice(0, 99))]);
  const last = uploads[99] ?? {};
  const more = { imageId: shelf.upload() };
  // At once: neither overwrites the other.
  const outcomes = await Promise.all([road.attach(recordId, last), road.attach(recordId, more)]);
  expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['attached', 'invalid']);
  expect(await road.imageIds(recordId)).toHaveLength(100);
});

test('an edit that leaves an image out frees it, unless it was ever public', async () => {
  const [first, second] = [shelf.upload(), shelf.upload()];
  const recordId = await road.stored([withImages({ imageId: first })]);
  await road.approve(recordId);
  expect(await road.change(recordId, [withImages({ imageId: first }, { imageId: second })])).toMatchObject({
    records: [{ status: 'PENDING', changed: true }],
  });
  expect(shelf.recordOf(second)).toBe(recordId);
  // What was read can be sent back, and changes nothing.
  expect(await road.change(recordId, [withImages(...(await road.images(recordId)))])).toMatchObject({
    records: [{ changed: false }],
  });
  expect(await road.change(recordId, [item('PVA')])).toMatchObject({ kind: 'updated' });
  expect([shelf.recordOf(first), shelf.recordOf(second)]).toEqual([recordId, undefined]);
  expect(await findHeldImages(database, [first, second, NOBODY])).toEqual([{ imageId: first, recordId }]);

  // Away in that moment: the edit stands, the image is found later.
  await road.change(recordId, [withImages({ imageId: second })]);
  shelf.away = true;
  expect(await road.change(recordId, [item('PVA')])).toMatchObject({ kind: 'updated' });
  expect(shelf.recordOf(second)).toBe(recordId);
  expect(await findHeldImages(database, [second])).toEqual([]);
});

test('media-svc, and nobody else, is told which record holds an image', async () => {
  const imageId = shelf.upload();
  const recordId = await road.stored([withImages({ imageId })]);
  const ask = (peer: string) =>
    imageUseRpc(database).handlers['findImageUses']?.(
      { imageIds: [imageId, NOBODY] },
      {
        ...call(),
        peer,
        caller: undefined,
        clientIp: undefined,
        log: parts.log,
      },
    );
  expect(await ask('media-svc')).toEqual({ uses: [{ imageId, recordId }] });
  await expect(ask('gateway')).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('an image that was never public is deleted at once by the owner or an ADMIN, and by nobody else', async () => {
  const uploads = [shelf.upload(), shelf.upload()];
  const [own = '', others = ''] = uploads;
  const recordId = await road.stored([withImages({ imageId: own }, { imageId: others })]);
  for (const caller of [stranger, { ...moderator }]) {
    await expect(road.remove(own, recordId, caller)).rejects.toMatchObject({ code: 'IMAGE_NOT_FOUND' });
  }
  expect(await road.remove(own, recordId)).toMatchObject({ awaitsApproval: false });
  expect(shelf.images.has(own)).toBe(false);
  expect(await road.imageIds(recordId)).toEqual([others]);
  expect(await keptOf(database, recordId)).toMatchObject({ record: { status: 'PENDING', revision: 2 } });

  // media-svc away: the record has let it go; once more finishes it.
  shelf.away = true;
  await expect(road.remove(others, recordId, admin)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await road.imageIds(recordId)).toEqual([]);
  expect(shelf.images.has(others)).toBe(true);
  shelf.away = false;
  expect(await road.remove(others, recordId, admin)).toMatchObject({ awaitsApproval: false });
  expect(shelf.images.has(others)).toBe(false);
  expect((await keptOf(database, recordId)).audit.at(-1)).toMatchObject({ actor_account_id: admin.accountId });
});

test('the deletion of an image that is public is an edit that awaits approval; its bytes stay', async () => {
  const imageId = shelf.upload();
  const recordId = await road.stored([withImages({ imageId })]);
  await road.approve(recordId);
  expect(await road.remove(imageId, recordId)).toMatchObject({ awaitsApproval: true });
  expect(await keptOf(database, recordId)).toMatchObject({ record: { status: 'PENDING', revision: 2, published: 1 } });
  expect(await road.remove(imageId, recordId)).toMatchObject({ awaitsApproval: true });
  expect(await keptOf(database, recordId)).toMatchObject({ record: { revision: 2 } });

  // Declined, then asked for again.
  await rejectRecords(database, [{ recordId, revision: undefined }], 'Please keep it.', moderator, 'test');
  expect(await road.remove(imageId, recordId)).toMatchObject({ awaitsApproval: true });
  expect(await keptOf(database, recordId)).toMatchObject({ record: { status: 'PENDING', revision: 3 } });
  await road.approve(recordId);
  expect(await road.remove(imageId, recordId)).toMatchObject({ awaitsApproval: false });
  expect(await keptOf(database, recordId)).toMatchObject({ record: { status: 'APPROVED', revision: 3 } });
  expect(shelf.recordOf(imageId)).toBe(recordId);
});

test('with an account go the images that were never public, and media-svc hears of it before they are forgotten', async () => {
  const owner: Caller = { ...user, accountId: '0190d2b0-0000-7000-a000-0000000000aa' };
  const [never, published, edited] = [shelf.upload(), shelf.upload(), shelf.upload()];
  const gone = await road.stored([withImages({ imageId: never })], { caller: owner });
  const stays = await road.stored([withImages({ imageId: published })], { caller: owner });
  await road.approve(stays);
  await road.attach(stays, { imageId: edited }, owner);
  const erase = () => eraseAccount({ database, images: shelf }, { accountId: owner.accountId, deletedAt: new Date() });
  shelf.away = true;
  await expect(erase()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect((await keptOf(database, gone)).revisions).toHaveLength(1);
  shelf.away = false;
  await erase();
  await erase();
  expect([...shelf.images.keys()]).toEqual([published]);
  expect((await keptOf(database, gone)).record).toBeUndefined();
  expect(await road.imageIds(stays)).toEqual([published]);
  // Of a record that nobody owns any more, only an ADMIN may take images away.
  await expect(road.remove(published, stays, owner)).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
  expect(await road.remove(published, stays, admin)).toMatchObject({ awaitsApproval: true });
});
