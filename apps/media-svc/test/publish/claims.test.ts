import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Kysely } from 'kysely';
import { pino } from 'pino';
import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import { ClaimProblem, ImageServiceService } from '@esd/proto/esd/media/v1/media';
import { openDatabase } from '@esd/service/database/postgres';
import { rpcClient, type RpcClient } from '@esd/service/rpc/rpc-client';
import { startRpcServer } from '@esd/service/rpc/rpc-server';
import { namedPeer, trustingGuard } from '@esd/testing/peers';
import { createDatabase } from '@esd/testing/servers';
import { migrations } from '../../migrations/index.ts';
import { publishImages } from '../../src/publish/publish-images.ts';
import { decodePublishedImages } from '../../src/publish/record-approved.event.ts';
import { imageRpc } from '../../src/rpc/image.rpc.ts';
import type { Tables } from '../../src/tables.ts';
import { newImage } from '../new-image.ts';

const log = pino({ level: 'silent' });
const call = { requestId: 'id-1' };

let database: Kysely<Tables>;
let client: RpcClient<typeof ImageServiceService>;
let other: RpcClient<typeof ImageServiceService>;
let stop: () => Promise<void>;

beforeAll(async () => {
  const { url, drop } = await createDatabase('media', migrations);
  database = openDatabase<Tables>(url, 10, log);
  const server = await startRpcServer({
    listen: { host: '127.0.0.1', port: 0 },
    services: [imageRpc(database)],
    guard: trustingGuard(),
    log,
  });
  const target = `ipv4:127.0.0.1:${server.port}`;
  client = rpcClient(ImageServiceService, {
    service: 'media-svc',
    target,
    serviceAssertions: namedPeer('submission-svc'),
  });
  other = rpcClient(ImageServiceService, { service: 'media-svc', target, serviceAssertions: namedPeer('gateway') });
  stop = async () => {
    client.channel.close();
    other.channel.close();
    await server.drain(0.1);
    await database.destroy();
    await drop();
  };
});
afterAll(() => stop());

const recordOf = async (id: string) =>
  (await client.describeImages({ imageIds: [id] }, call)).images.map(({ recordId }) => recordId);
const claim = (...claims: [string, number][]) =>
  client.claimImages(
    { claims: claims.map(([imageId, recordId]) => ({ imageId, recordId })), reservation: 'another' },
    call,
  );

describe('claims', () => {
  test('succeed together and can be repeated for the same record', async () => {
    const [one, two] = [await newImage(database), await newImage(database)];
    for (let again = 0; again < 2; again += 1) {
      const { outcome } = await claim([one, 7], [two.toUpperCase(), 8], [one, 7]);
      if (outcome?.$case !== 'claimed') throw new Error('not claimed');
      expect(outcome.value.images.map(({ id, recordId }) => [id, recordId]).sort()).toEqual(
        [
          [one, 7],
          [two, 8],
        ].sort(),
      );
    }
  });

  test('are refused together, each with a reason', async () => {
    const [free, taken] = [await newImage(database), await newImage(database)];
    await claim([taken, 1]);
    const unknown = randomUUID();
    const { outcome } = await claim([free, 2], [taken, 2], [unknown, 2], ['nonsense', 2], [free, 3]);
    if (outcome?.$case !== 'refused') throw new Error('not refused');
    expect(outcome.value.refused.map(({ claim: of, problem }) => [of?.imageId, of?.recordId, problem]).sort()).toEqual(
      [
        [taken, 2, ClaimProblem.CLAIM_PROBLEM_TAKEN],
        [unknown, 2, ClaimProblem.CLAIM_PROBLEM_UNKNOWN],
        ['nonsense', 2, ClaimProblem.CLAIM_PROBLEM_UNKNOWN],
        [free, 3, ClaimProblem.CLAIM_PROBLEM_TAKEN],
      ].sort(),
    );
    expect(await recordOf(free)).toEqual([undefined]);
  });

  test('of one image by concurrent callers succeed for a single record', async () => {
    const id = await newImage(database);
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((recordId) => claim([id, recordId])));
    const granted = answers.filter(({ outcome }) => outcome?.$case === 'claimed');
    expect(granted).toHaveLength(1);
  });

  test('in opposite orders do not deadlock', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => newImage(database)));
    const pairs = ids.map((id): [string, number] => [id, 5]);
    const answers = await Promise.all([claim(...pairs), claim(...pairs.toReversed()), claim(...pairs)]);
    expect(answers.map(({ outcome }) => outcome?.$case)).toEqual(['claimed', 'claimed', 'claimed']);
  });

  test('are accepted from submission-svc only', async () => {
    const claims = [{ imageId: await newImage(database), recordId: 1 }];
    const reservation = 'a';
    await expect(other.claimImages({ claims, reservation }, call)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(other.releaseImages({ claims }, call)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(other.deleteImages({ images: claims }, call)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(other.reserveImages({ reservation, images: claims }, call)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(other.cancelReservation({ reservation, imageIds: [] }, call)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });
});

describe('reservations', () => {
  const reserve = async (reservation: string, ...images: [string, number][]) => {
    const wanted = images.map(([imageId, recordId]) => ({ imageId, recordId }));
    const { refused } = await client.reserveImages({ reservation, images: wanted }, call);
    return refused.map(({ claim: of, problem }) => [of?.imageId, problem]);
  };
  const { CLAIM_PROBLEM_TAKEN: taken, CLAIM_PROBLEM_UNKNOWN: unknown } = ClaimProblem;

  test('protect images from other records and deletion until they are claimed', async () => {
    const [one, two] = [await newImage(database), await newImage(database)];
    for (let again = 0; again < 2; again += 1) expect(await reserve('a', [one, 0], [two.toUpperCase(), 0])).toEqual([]);
    expect(await reserve('b', [one, 0])).toEqual([[one, taken]]);
    expect(await claim([one, 9])).toMatchObject({ outcome: { $case: 'refused' } });
    await expect(other.deleteUnattachedImage({ imageId: one }, call)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await recordOf(one)).toEqual([undefined]);
    const { outcome } = await client.claimImages({ claims: [{ imageId: one, recordId: 7 }], reservation: 'a' }, call);
    expect(outcome?.$case).toBe('claimed');
    expect([await recordOf(one), await recordOf(two)]).toEqual([[7], [undefined]]);
    expect(await other.deleteUnattachedImage({ imageId: one }, call)).toEqual({ attachedToRecordId: 7 });
  });

  test('are refused together', async () => {
    const [free, held] = [await newImage(database), await newImage(database)];
    await claim([held, 1]);
    const missing = randomUUID();
    expect(await reserve('a', [free, 0], [held, 0], [held, 2], [missing, 0], ['nonsense', 0])).toHaveLength(4);
    expect(await reserve('a', [held, 0], [missing, 0])).toEqual([
      [held, taken],
      [missing, unknown],
    ]);
    expect(await reserve('b', [free, 0])).toEqual([]);
    await expect(reserve('', [free, 0])).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(reserve('x'.repeat(101), [free, 0])).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  test('can be canceled, which changes neither attached nor claimed images', async () => {
    const [free, held, claimed] = [await newImage(database), await newImage(database), await newImage(database)];
    await claim([held, 3]);
    await reserve('c', [free, 0], [held, 3], [claimed, 0]);
    await client.claimImages({ claims: [{ imageId: claimed, recordId: 4 }], reservation: 'c' }, call);
    const imageIds = [free, held, claimed];
    await client.cancelReservation({ reservation: 'of another caller', imageIds }, call);
    expect(await reserve('d', [free, 0])).toEqual([[free, taken]]);
    for (let again = 0; again < 2; again += 1) await client.cancelReservation({ reservation: 'c', imageIds }, call);
    expect([await recordOf(free), await recordOf(held), await recordOf(claimed)]).toEqual([[undefined], [3], [4]]);
    expect(await reserve('d', [free, 0])).toEqual([]);
  });

  test('of an attached image belong to its record, which cannot lose it until they end', async () => {
    const id = await newImage(database);
    await claim([id, 5]);
    expect(await reserve('record 5', [id, 5])).toEqual([]);
    const images = [{ imageId: id, recordId: 5 }];
    await client.releaseImages({ claims: images }, call);
    await client.deleteImages({ images }, call);
    expect(await recordOf(id)).toEqual([5]);
    await client.cancelReservation({ reservation: 'record 5', imageIds: [id] }, call);
    await client.deleteImages({ images }, call);
    expect(await recordOf(id)).toEqual([]);
  });
});

describe('an image', () => {
  test('is detached or deleted by its own record only', async () => {
    const [released, erased, others] = [await newImage(database), await newImage(database), await newImage(database)];
    await claim([released, 1], [erased, 1], [others, 2]);
    const of = (...ids: string[]) => ids.map((imageId) => ({ imageId, recordId: 1 }));
    await client.releaseImages({ claims: of(released, others) }, call);
    await client.deleteImages({ images: of(erased, others) }, call);
    expect([await recordOf(released), await recordOf(erased), await recordOf(others)]).toEqual([[undefined], [], [2]]);
  });

  test('stays attached once it has been published', async () => {
    const id = await newImage(database);
    await claim([id, 3]);
    const event = (recordId: number, approvedAt: Date) =>
      decodePublishedImages(
        RecordApproved.encode({
          recordId,
          recordRevision: 1,
          recordJson: Buffer.from(JSON.stringify({ recordId, fiberImages: [{ imageId: id, imageType: 'SEM' }] })),
          approvedAt,
        }).finish(),
      );
    const first = new Date('2026-01-01T00:00:00Z');
    await publishImages(database, [event(3, new Date()), event(3, first)], log);
    await publishImages(database, [event(3, new Date())], log);
    const images = [{ imageId: id, recordId: 3 }];
    await client.releaseImages({ claims: images }, call);
    await client.deleteImages({ images }, call);
    const { images: found } = await client.describeImages({ imageIds: [id] }, call);
    expect(found).toMatchObject([{ recordId: 3, published: true }]);
    const row = await database.selectFrom('image').select('published_at').where('id', '=', id).executeTakeFirst();
    expect(row?.published_at).toEqual(first);
  });

  test('can be deleted by anyone who knows its id, unless it is attached', async () => {
    const [free, held] = [await newImage(database), await newImage(database)];
    await claim([held, 4]);
    expect(await other.deleteUnattachedImage({ imageId: held }, call)).toEqual({ attachedToRecordId: 4 });
    expect(await other.deleteUnattachedImage({ imageId: free }, call)).toEqual({ attachedToRecordId: undefined });
    for (const imageId of [free, 'nonsense']) {
      await expect(other.deleteUnattachedImage({ imageId }, call)).rejects.toMatchObject({ code: 'IMAGE_NOT_FOUND' });
    }
  });
});
