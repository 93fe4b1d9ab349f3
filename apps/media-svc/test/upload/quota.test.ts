import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase } from '@esd/testing/servers';
import { migrations } from '../../migrations/index.ts';
import { insertImage, type Uploader } from '../../src/image/image.store.ts';
import { sweepImages } from '../../src/sweep/sweep-images.ts';
import type { Tables } from '../../src/tables.ts';
import { checkQuota, lockUploader } from '../../src/upload/quota.ts';
import { log } from '../media.ts';
import { newBlob } from '../new-image.ts';

const QUOTA = { clientBytes: 200, anonymousBytes: 3_000, totalBytes: 4_000 };

const created = await createDatabase('quota', migrations);
const { drop } = created;
const database = openDatabase<Tables>(created.url, 5, log);
afterAll(async () => {
  await database.destroy();
  await drop();
});
beforeEach(async () => {
  await database.deleteFrom('image').execute();
});

const anonymous = (ip: string): Uploader => ({ accountId: undefined, ip });
const account = (accountId: string, ip = '192.0.2.1'): Uploader => ({ accountId, ip });
async function add(uploader: Uploader, count = 1): Promise<void> {
  for (let added = 0; added < count; added += 1) {
    const sha256 = await newBlob(database);
    await database.transaction().execute(async (transaction) => {
      await lockUploader(transaction, uploader);
      await insertImage(transaction, {
        id: randomUUID(),
        sha256,
        imageType: undefined,
        imageDefinition: undefined,
        uploader,
      });
    });
  }
}
const check = (uploader: Uploader) => checkQuota(database, QUOTA, uploader, 100);

describe('unattached images', () => {
  test('count per account, or else per address, with separate limits', async () => {
    await add(anonymous('192.0.2.1'), 2);
    await expect(check(anonymous('192.0.2.1'))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await expect(check(anonymous('::ffff:192.0.2.1'))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await check(anonymous('192.0.2.2'));
    await check(account('one'));
    await add(account('one'), 2);
    await expect(check(account('one', '192.0.2.99'))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await check(account('two'));
  });

  test('of one IPv6 network may reach eight times the limit of a client', async () => {
    for (let subnet = 0; subnet < 8; subnet += 1) {
      await add(anonymous(`2001:db8:1:${subnet}::1`), 2);
      await expect(check(anonymous(`2001:db8:1:${subnet}::ffff`))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    }
    await expect(check(anonymous('2001:db8:1:ff::1'))).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('This network has uploaded'),
    });
    await check(anonymous('2001:db8:2::1'));
    await check(account('one', '2001:db8:1:ff::1'));
  });

  test('without an account fill three quarters, and accounts can still upload', async () => {
    for (let address = 1; address <= 15; address += 1) await add(anonymous(`192.0.2.${address}`), 2);
    await expect(check(anonymous('198.51.100.1'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retryAfterSeconds: 3_600,
      message: expect.stringContaining('Sign in'),
    });
    for (let index = 0; index < 5; index += 1) {
      await check(account(`account ${index}`));
      await add(account(`account ${index}`), 2);
    }
    await expect(check(account('one too many'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('lose their address after a day and their account after 7 days', async () => {
    await add(account('one'));
    const columnsAfter = async (days: number) => {
      await database
        .updateTable('image')
        .set({ uploaded_at: new Date(Date.now() - days * 86_400_000 - 60_000) })
        .execute();
      await sweepImages(database, () => Promise.resolve([]));
      return await database.selectFrom('image').select(['client', 'account_id']).executeTakeFirst();
    };
    expect(await columnsAfter(0)).toEqual({ client: '192.0.2.1/32', account_id: 'one' });
    expect(await columnsAfter(1)).toEqual({ client: null, account_id: 'one' });
    expect(await columnsAfter(7)).toEqual({ client: null, account_id: null });
  });
});
