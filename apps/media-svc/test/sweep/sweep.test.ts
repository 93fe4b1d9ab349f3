import { randomUUID } from 'node:crypto';
import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import { runs } from '@esd/testing/property-runs';
import { claimImages } from '../../src/attach/claim-images.ts';
import { cancelReservation, reserveImages } from '../../src/attach/reserve-images.ts';
import { deleteUnattached } from '../../src/attach/delete-unattached.ts';
import { deleteImages } from '../../src/attach/detach-images.ts';
import type { RecordImage } from '../../src/attach/record-image.ts';
import type { ObjectStore } from '@esd/object-store/object-store';
import { publishImages } from '../../src/publish/publish-images.ts';
import { sweepImages } from '../../src/sweep/sweep-images.ts';
import { sweep } from '../../src/sweep/sweep.ts';
import { pino } from 'pino';
import { startMedia } from '../media.ts';
import { newBlob, newImage } from '../new-image.ts';

const log = pino({ level: 'silent' });
const media = await startMedia();
afterAll(() => media.stop());

const exists = async (id: string) =>
  (await media.database.selectFrom('image').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
const noUses = () => Promise.resolve<RecordImage[]>([]);
const claim = (imageId: string, recordId: number) => claimImages(media.database, [{ imageId, recordId }], 'another');

describe('images', () => {
  test('without a record are deleted after 7 days, not earlier', async () => {
    const id = await newImage(media.database);
    await media.age(6 * 24);
    expect((await sweepImages(media.database, noUses)).deleted).toEqual([]);
    await media.age(25);
    expect((await sweepImages(media.database, noUses)).deleted).toEqual([id]);
    expect(await exists(id)).toBe(false);
  });

  test('whose record was never stored are released after an hour and deleted 7 days later', async () => {
    const [lost, held] = [await newImage(media.database), await newImage(media.database)];
    await claim(lost, 1);
    await claim(held, 2);
    const holds = () => Promise.resolve([{ imageId: held, recordId: 2 }]);
    expect((await sweepImages(media.database, holds)).released).toEqual([]);
    await media.age(2);
    expect((await sweepImages(media.database, holds)).released).toEqual([lost]);
    await media.age(24 * 7 + 1);
    const swept = await sweepImages(media.database, holds);
    expect([swept.deleted, await exists(held)]).toEqual([[lost], true]);
  });

  test('with a forgotten reservation are attached to their record or released after an hour', async () => {
    await media.database.deleteFrom('image').execute();
    const reserved = () => newImage(media.database);
    const [lost, stored, edited] = [await reserved(), await reserved(), await reserved()];
    await claim(edited, 7);
    for (const id of [lost, stored]) await reserveImages(media.database, 'a', [{ imageId: id, recordId: 0 }]);
    const uses = [
      { imageId: stored, recordId: 6 },
      { imageId: edited, recordId: 7 },
    ];
    const holds = () => Promise.resolve(uses);
    expect(await sweepImages(media.database, holds)).toEqual({ deleted: [], released: [], reattached: [] });
    await media.age(24 * 8);
    await reserveImages(media.database, 'record 7', [{ imageId: edited, recordId: 7 }]);
    expect(await sweepImages(media.database, holds)).toEqual({ deleted: [], released: [lost], reattached: [stored] });
    await media.age(2);
    expect(await sweepImages(media.database, holds)).toEqual({ deleted: [], released: [], reattached: [] });
    for (const { imageId, recordId } of uses) {
      const row = media.database.selectFrom('image').select(['record_id', 'reserved_for']).where('id', '=', imageId);
      expect(await row.executeTakeFirst()).toEqual({ record_id: recordId, reserved_for: null });
    }
    await media.age(24 * 8);
    expect((await sweepImages(media.database, holds)).deleted).toEqual([lost]);
    await deleteImages(media.database, uses);
  });

  test('reserved again during the sweep stay reserved', async () => {
    const id = await newImage(media.database);
    await reserveImages(media.database, 'a', [{ imageId: id, recordId: 0 }]);
    await media.age(2);
    const reservesAgain = async () => {
      await cancelReservation(media.database, 'a', [id]);
      await reserveImages(media.database, 'b', [{ imageId: id, recordId: 0 }]);
      return [];
    };
    expect((await sweepImages(media.database, reservesAgain)).released).toEqual([]);
    expect(await reserveImages(media.database, 'c', [{ imageId: id, recordId: 0 }])).toMatchObject([
      { problem: 'taken' },
    ]);
    await cancelReservation(media.database, 'b', [id]);
    await deleteUnattached(media.database, id);
  });

  test('that a record contains are reattached instead of deleted', async () => {
    const id = await newImage(media.database);
    await media.age(24 * 8);
    const swept = await sweepImages(media.database, () => Promise.resolve([{ imageId: id, recordId: 9 }]));
    expect(swept).toMatchObject({ deleted: [], reattached: [id] });
    await deleteImages(media.database, [{ imageId: id, recordId: 9 }]);
  });

  test('are not deleted while submission-svc is unavailable', async () => {
    const id = await newImage(media.database);
    await media.age(24 * 8);
    const away = () => Promise.reject(new ServiceError('UNAVAILABLE', 'Unavailable.'));
    await expect(sweepImages(media.database, away)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await exists(id)).toBe(true);
    // Nor is an image that is claimed during the sweep.
    const claims = async () => {
      await claim(id, 3);
      return [];
    };
    expect((await sweepImages(media.database, claims)).deleted).not.toContain(id);
    expect(await exists(id)).toBe(true);
    await deleteImages(media.database, [{ imageId: id, recordId: 3 }]);
  });

  test('lose the address of their uploader after a day', async () => {
    const id = await newImage(media.database);
    await media.database.updateTable('image').set({ client: '192.0.2.1' }).where('id', '=', id).execute();
    const client = async () =>
      (await media.database.selectFrom('image').select('client').where('id', '=', id).executeTakeFirstOrThrow()).client;
    await sweepImages(media.database, noUses);
    expect(await client()).not.toBeNull();
    await media.age(25);
    await sweepImages(media.database, noUses);
    expect(await client()).toBeNull();
    await deleteUnattached(media.database, id);
  });
});

/** The outcome of a submission that reserved an image; `unclaimed`: stored, but the claim never arrives. */
type Fate = 'stored' | 'failed' | 'crashed' | 'unclaimed';

type Step =
  | { what: 'upload' | 'sweep' }
  | { what: 'wait'; hours: number }
  | { what: 'submit'; image: number; record: number; fate: Fate }
  | { what: 'approve' | 'remove'; record: number }
  | { what: 'delete'; image: number };

const position = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>({ what: 'upload' }) },
  { weight: 3, arbitrary: fc.constant<Step>({ what: 'sweep' }) },
  { weight: 2, arbitrary: fc.constantFrom(2, 30, 24 * 8).map((hours): Step => ({ what: 'wait', hours })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(position, position, fc.constantFrom<Fate>('stored', 'failed', 'crashed', 'unclaimed'))
      .map(([image, record, fate]): Step => ({ what: 'submit', image, record: record + 1, fate })),
  },
  { weight: 2, arbitrary: position.map((record): Step => ({ what: 'approve', record: record + 1 })) },
  { weight: 2, arbitrary: position.map((record): Step => ({ what: 'remove', record: record + 1 })) },
  { weight: 2, arbitrary: position.map((image): Step => ({ what: 'delete', image })) },
);

test('no sequence of steps deletes an image of a record or a release, or retains an unused one', async () => {
  const { database } = media;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      await database.deleteFrom('image').execute();
      // The knowledge of submission-svc: the current images of each record, and all that were ever approved.
      const held = new Map<string, number>();
      const published = new Map<string, number>();
      const ids: string[] = [];
      const findUses = (asked: readonly string[]) =>
        Promise.resolve(
          asked.flatMap((imageId) => {
            const recordId = held.get(imageId) ?? published.get(imageId);
            return recordId === undefined ? [] : [{ imageId, recordId }];
          }),
        );
      for (const one of [...steps, { what: 'sweep' } as const]) {
        switch (one.what) {
          case 'upload':
            ids.push(await newImage(database));
            break;
          case 'wait':
            await media.age(one.hours);
            break;
          case 'sweep':
            await sweepImages(database, findUses);
            break;
          case 'submit': {
            const imageId = ids[one.image];
            if (imageId === undefined) break;
            const images = [{ imageId, recordId: one.record }];
            const reservation = `record ${one.record}`;
            if ((await reserveImages(database, reservation, images)).length > 0) break;
            if (one.fate === 'failed') await cancelReservation(database, reservation, [imageId]);
            if (one.fate === 'stored' || one.fate === 'unclaimed') held.set(imageId, one.record);
            if (one.fate === 'stored') {
              expect(await claimImages(database, images, reservation)).toMatchObject({ images: [{ id: imageId }] });
            }
            break;
          }
          case 'approve': {
            const imageIds = [...held].filter(([, record]) => record === one.record).map(([id]) => id);
            for (const id of imageIds) published.set(id, one.record);
            await publishImages(database, [{ recordId: one.record, imageIds, approvedAt: new Date() }], log);
            break;
          }
          case 'remove': {
            const images = [...held].filter(([, record]) => record === one.record);
            for (const [id] of images) held.delete(id);
            await deleteImages(
              database,
              images.map(([imageId, recordId]) => ({ imageId, recordId })),
            );
            break;
          }
          case 'delete': {
            const imageId = ids[one.image];
            if (imageId !== undefined) await deleteUnattached(database, imageId).catch(() => undefined);
          }
        }
        const there = new Set((await database.selectFrom('image').select('id').execute()).map(({ id }) => id));
        for (const id of [...held.keys(), ...published.keys()]) expect([id, there.has(id)]).toEqual([id, true]);
      }
      // Unused images are released an hour after their claim and deleted 7 days later.
      await media.age(30);
      await sweepImages(database, findUses);
      await media.age(24 * 8);
      await sweepImages(database, findUses);
      const left = (await database.selectFrom('image').select('id').execute()).map(({ id }) => id).sort();
      expect(left).toEqual([...new Set([...held.keys(), ...published.keys()])].sort());
    }),
    { numRuns: runs(60) },
  );
});

describe('objects', () => {
  /** Returns the store with all objects a day older. */
  const aged = (objects: ObjectStore): ObjectStore => ({
    ...objects,
    list: async function* () {
      for await (const object of objects.list())
        yield { ...object, modifiedAt: new Date(+object.modifiedAt - 86_400_000) };
    },
  });
  const keysIn = async () => {
    const keys: string[] = [];
    for await (const { key } of media.objects.list()) keys.push(key);
    return keys.sort();
  };

  test('without an image are removed once they are old, and missing ones are reported', async () => {
    const { database, objects } = media;
    await database.deleteFrom('image').execute();
    await database.deleteFrom('blob').execute();
    const folder = await mkdtemp(join(tmpdir(), 'esd-test-'));
    const file = join(folder, 'x.png');
    await writeFile(file, 'some bytes');
    const [kept, unused, orphan, lost] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    for (const one of [kept, unused, orphan]) await objects.put(`${one}/full.png`, file);
    await newImage(database, await newBlob(database, kept));
    await newBlob(database, unused);
    await newImage(database, await newBlob(database, lost));
    await sql`update blob set stored_at = stored_at - interval '1 day'`.execute(database);

    const young = await sweep({ database, objects, findUses: noUses });
    expect(young).toMatchObject({ removed: [], missing: [`${lost}/full.png`] });
    expect(await database.selectFrom('blob').select('folder').where('folder', '=', unused).execute()).toEqual([]);
    const old = await sweep({ database, objects: aged(objects), findUses: noUses });
    expect(old?.removed.sort()).toEqual([`${orphan}/full.png`, `${unused}/full.png`].sort());
    expect(await keysIn()).toEqual([`${kept}/full.png`]);
    await rm(folder, { recursive: true });
  });

  test('of unfinished uploads are removed once they are old', async () => {
    const upload = await media.client.initiateNewMultipartUpload(media.bucket, 'half/full.png', {});
    expect(upload).not.toBe('');
    expect(await media.objects.removeIncomplete(new Date(Date.now() - 3_600_000))).toEqual([]);
    expect(await media.objects.removeIncomplete(new Date(Date.now() + 3_600_000))).toEqual(['half/full.png']);
    expect(await media.objects.removeIncomplete(new Date(Date.now() + 3_600_000))).toEqual([]);
  });

  test('are swept by one replica at a time', async () => {
    const slow = async () => {
      expect(await sweep({ database: media.database, objects: media.objects, findUses: noUses })).toBeUndefined();
      return [];
    };
    const id = await newImage(media.database);
    await claim(id, 1);
    await media.age(2);
    expect((await sweep({ database: media.database, objects: media.objects, findUses: slow }))?.released).toEqual([id]);
  });
});
