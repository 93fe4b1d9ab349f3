import { randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Tables } from '../src/tables.ts';

export async function newImage(database: Kysely<Tables>, sha256?: string): Promise<string> {
  const content = sha256 ?? (await newBlob(database));
  const id = randomUUID();
  await database.insertInto('image').values({ id, sha256: content }).execute();
  return id;
}

export async function newBlob(database: Kysely<Tables>, folder: string = randomUUID()): Promise<string> {
  const sha256 = randomBytes(32).toString('hex');
  await database.insertInto('blob').values({ sha256, folder, bytes: 100, width: 10, height: 10 }).execute();
  return sha256;
}
