import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { eraseAccount } from '../../src/account/erase-account.ts';
import { attachImage } from '../../src/images/attach-image.ts';
import { findImageUses } from '../../src/records/image-use.store.ts';
import { rejectRecords } from '../../src/review/review.ts';
import { imageUseRpc } from '../../src/rpc/image-use.rpc.ts';
import type { SubmitContext } from '../../src/submit/submit.ts';
import { call, imageCalls, withImages } from '../image-builders.ts';
import { InMemoryImages } from '../in-memory-images.ts';
import { recordOf } from '@esd/testing/records';
import {
  admin,
  storedRecord,
  moderator,
  openTestDatabase,
  testContext,
  user,
  reviewBy,
  refusal,
  incompleteRecord,
} from '../builders.ts';

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
const otherUser: Caller = { ...user, accountId: '0190d2b0-0000-7000-8000-00000000000f' };
const pat: Caller = { ...user, credential: 'pat' };

test('attaching an image creates a revision, which is public only after its approval', async () => {
  const imageId = media.upload({ imageType: 'SEM' });
  const recordId = await calls.stored([recordOf('PCL')]);
  await calls.approve(recordId);
  const image = { imageId, imageType: 'SEM', width: 40, height: 30, contentUrl: `/images/${imageId}/content` };
  expect(await calls.attach(recordId, { imageId })).toEqual({ image, entityTag: `${recordId}-2` });
  const stored = await storedRecord(database, recordId);
  expect(stored.record).toEqual({ status: 'PENDING', revision: 2, published: 1 });
  const [first, second] = stored.revisions;
  expect(second?.data).toEqual({ ...first?.data, fiberImages: [image] });
  expect(second?.content_hash).not.toEqual(first?.content_hash);
  expect(second).toMatchObject({ missing_fields: [], duplicate_hash: first?.duplicate_hash, image_ids: [imageId] });
  expect(stored.audit.at(-1)).toMatchObject({ action: 'update', record_revision: 2, actor_account_id: user.accountId });

  // Repeating the call changes nothing; another type replaces the first one.
  expect(await calls.attach(recordId, { imageId })).toMatchObject({ entityTag: `${recordId}-2` });
  expect(await calls.attach(recordId, { imageId, imageType: 'TEM' })).toMatchObject({
    image: { ...image, imageType: 'TEM' },
    entityTag: `${recordId}-3`,
  });
  expect(await calls.imageIds(recordId)).toEqual([imageId]);

  const published = async () => {
    const rows = await database.selectFrom('outbox').select(['subject', 'body']).orderBy('sequence').execute();
    const approved = rows.filter(({ subject }) => subject === 'esd.record.approved.v1');
    const bodies = approved
      .map(({ body }) => RecordApproved.decode(body))
      .filter((event) => event.recordId === recordId);
    return bodies.map(({ recordJson }): unknown => JSON.parse(Buffer.from(recordJson).toString()));
  };
  expect(await published()).toEqual([expect.not.objectContaining({ fiberImages: expect.anything() })]);
  await calls.approve(recordId);
  expect(await published()).toEqual([
    expect.anything(),
    expect.objectContaining({ fiberImages: [{ ...image, imageType: 'TEM' }] }),
  ]);
});

test('attaching follows the rules of an update, and only the owner may do it', async () => {
  const recordId = await calls.stored([recordOf('PCL')]);
  const incomplete = await calls.stored([incompleteRecord], { caller: pat });
  const imageId = media.upload();
  for (const caller of [otherUser, admin, moderator]) {
    await expect(calls.attach(recordId, { imageId }, caller)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
  }
  // A request that only adds an image need not add missing fields.
  await calls.attach(incomplete, { imageId });
  expect(await storedRecord(database, incomplete)).toMatchObject({ record: { status: 'NEEDS_UPDATE', revision: 2 } });
  await rejectRecords(database, [{ recordId, revision: undefined }], 'No image.', reviewBy(moderator));
  await calls.attach(recordId, { imageId: media.upload() });
  expect(await storedRecord(database, recordId)).toMatchObject({ record: { status: 'PENDING', revision: 2 } });

  const texts = Array.from({ length: 90 }, () => 'é'.repeat(1_900));
  const refusals: [object, object][] = [
    [{ imageId: UNKNOWN_IMAGE }, { path: 'imageId', code: 'UNKNOWN_IMAGE' }],
    [{ imageId }, { path: 'imageId', code: 'IMAGE_TAKEN' }],
    [{}, { path: 'imageId', code: 'MISSING_VALUE' }],
    [
      { imageId: media.upload(), imageTyp: 'SEM' },
      { path: 'imageTyp', code: 'UNKNOWN_MEMBER' },
    ],
    [
      { imageId: media.upload(), imageDefinition: { texts } },
      { path: '', code: 'RECORD_TOO_LARGE' },
    ],
  ];
  for (const [body, problem] of refusals) {
    expect(await refusal(calls.attach(recordId, body))).toMatchObject({ code: 'VALIDATION_FAILED', errors: [problem] });
  }
  expect(
    await refusal(attachImage(context, { ...call(), recordId, caller: user, json: Buffer.from('{') })),
  ).toMatchObject({
    code: 'INVALID_REQUEST',
  });
  const late = media.upload();
  media.beforeReserve = () => media.images.delete(late);
  expect(await refusal(calls.attach(recordId, { imageId: late }))).toMatchObject({
    errors: [{ code: 'UNKNOWN_IMAGE' }],
  });
  expect(await storedRecord(database, recordId)).toMatchObject({ record: { revision: 2 } });
});

test('a record has at most 100 images, even with concurrent requests', async () => {
  const uploads = Array.from({ length: 100 }, () => ({ imageId: media.upload() }));
  const recordId = await calls.stored([withImages(...uploads.slice(0, 99))]);
  const last = uploads[99] ?? {};
  const more = { imageId: media.upload() };
  const outcomes = await Promise.allSettled([calls.attach(recordId, last), calls.attach(recordId, more)]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await calls.imageIds(recordId)).toHaveLength(100);
});

test('an edit that removes an image releases it, unless it was ever public', async () => {
  const [first, second] = [media.upload(), media.upload()];
  const recordId = await calls.stored([withImages({ imageId: first })]);
  await calls.approve(recordId);
  expect(await calls.change(recordId, [withImages({ imageId: first }, { imageId: second })])).toMatchObject({
    record: { status: 'PENDING', changed: true },
  });
  expect(media.recordOf(second)).toBe(recordId);
  // Sending the read data back changes nothing.
  expect(await calls.change(recordId, [withImages(...(await calls.images(recordId)))])).toMatchObject({
    record: { changed: false },
  });
  await calls.change(recordId, [recordOf('PVA')]);
  expect([media.recordOf(first), media.recordOf(second)]).toEqual([recordId, undefined]);
  expect(await findImageUses(database, [first, second, UNKNOWN_IMAGE])).toEqual([{ imageId: first, recordId }]);

  // While media-svc is down, the edit is stored, and a sweep releases the image later.
  await calls.change(recordId, [withImages({ imageId: second })]);
  media.isDown = true;
  await calls.change(recordId, [recordOf('PVA')]);
  expect(media.recordOf(second)).toBe(recordId);
  expect(await findImageUses(database, [second])).toEqual([]);
});

test('only media-svc may find the record of an image', async () => {
  const imageId = media.upload();
  const recordId = await calls.stored([withImages({ imageId })]);
  const ask = (peer: string) =>
    imageUseRpc(database).handlers['findImageUses']?.(
      { imageIds: [imageId, UNKNOWN_IMAGE] },
      {
        ...call(),
        peer,
        caller: undefined,
        clientIp: undefined,
        log: context.log,
      },
    );
  expect(await ask('media-svc')).toEqual({ uses: [{ imageId, recordId }] });
  await expect(ask('gateway')).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('an image that was never public can be deleted immediately, by the owner or an ADMIN only', async () => {
  const uploads = [media.upload(), media.upload()];
  const [own = '', others = ''] = uploads;
  const recordId = await calls.stored([withImages({ imageId: own }, { imageId: others })]);
  for (const caller of [otherUser, { ...moderator }]) {
    await expect(calls.remove(own, recordId, caller)).rejects.toMatchObject({ code: 'IMAGE_NOT_FOUND' });
  }
  expect(await calls.remove(own, recordId)).toMatchObject({ awaitsApproval: false });
  expect(media.images.has(own)).toBe(false);
  expect(await calls.imageIds(recordId)).toEqual([others]);
  expect(await storedRecord(database, recordId)).toMatchObject({ record: { status: 'PENDING', revision: 2 } });

  // While media-svc is down, the record loses the image; a repeated call deletes it.
  media.isDown = true;
  await expect(calls.remove(others, recordId, admin)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await calls.imageIds(recordId)).toEqual([]);
  expect(media.images.has(others)).toBe(true);
  media.isDown = false;
  expect(await calls.remove(others, recordId, admin)).toMatchObject({ awaitsApproval: false });
  expect(media.images.has(others)).toBe(false);
  expect((await storedRecord(database, recordId)).audit.at(-1)).toMatchObject({ actor_account_id: admin.accountId });
});

test('deleting a public image is an edit that awaits approval, and the image itself remains', async () => {
  const imageId = media.upload();
  const recordId = await calls.stored([withImages({ imageId })]);
  await calls.approve(recordId);
  expect(await calls.remove(imageId, recordId)).toMatchObject({ awaitsApproval: true });
  expect(await storedRecord(database, recordId)).toMatchObject({
    record: { status: 'PENDING', revision: 2, published: 1 },
  });
  expect(await calls.remove(imageId, recordId)).toMatchObject({ awaitsApproval: true });
  expect(await storedRecord(database, recordId)).toMatchObject({ record: { revision: 2 } });

  await rejectRecords(database, [{ recordId, revision: undefined }], 'Please keep it.', reviewBy(moderator));
  expect(await calls.remove(imageId, recordId)).toMatchObject({ awaitsApproval: true });
  expect(await storedRecord(database, recordId)).toMatchObject({ record: { status: 'PENDING', revision: 3 } });
  await calls.approve(recordId);
  expect(await calls.remove(imageId, recordId)).toMatchObject({ awaitsApproval: false });
  expect(await storedRecord(database, recordId)).toMatchObject({ record: { status: 'APPROVED', revision: 3 } });
  expect(media.recordOf(imageId)).toBe(recordId);
});

test('deleting an account deletes images that were never public, before the records that contain them', async () => {
  const owner: Caller = { ...user, accountId: '0190d2b0-0000-7000-a000-0000000000aa' };
  const [never, published, edited] = [media.upload(), media.upload(), media.upload()];
  const gone = await calls.stored([withImages({ imageId: never })], { caller: owner });
  const stays = await calls.stored([withImages({ imageId: published })], { caller: owner });
  await calls.approve(stays);
  await calls.attach(stays, { imageId: edited }, owner);
  const erase = () => eraseAccount({ database, images: media }, { accountId: owner.accountId, deletedAt: new Date() });
  media.isDown = true;
  await expect(erase()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect((await storedRecord(database, gone)).revisions).toHaveLength(1);
  media.isDown = false;
  await erase();
  await erase();
  expect([...media.images.keys()]).toEqual([published]);
  expect((await storedRecord(database, gone)).record).toBeUndefined();
  expect(await calls.imageIds(stays)).toEqual([published]);
  // Only an ADMIN may remove images of a record without an owner.
  await expect(calls.remove(published, stays, owner)).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
  expect(await calls.remove(published, stays, admin)).toMatchObject({ awaitsApproval: true });
});
