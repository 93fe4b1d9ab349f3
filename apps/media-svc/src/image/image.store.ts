import { type Kysely, sql, type Transaction } from 'kysely';
import { addressBlock } from '@esd/service/auth/client';
import type { Tables } from '../tables.ts';

/** A stored PNG: one or several images have it as their content. */
export interface Blob {
  /** Of the PNG, hex. */
  sha256: string;
  /** Folder of its objects. */
  folder: string;
  bytes: number;
  width: number;
  height: number;
}

/** An image with its content. */
export interface StoredImage extends Blob {
  id: string;
  imageType: string | null;
  imageDefinition: Record<string, unknown> | null;
  recordId: number | null;
  publishedAt: Date | null;
}

export interface NewImage {
  id: string;
  sha256: string;
  imageType: string | undefined;
  imageDefinition: Record<string, unknown> | undefined;
  uploader: Uploader;
}

/** Who uploads: the account that is signed in, and the address; internal work has neither. */
export interface Uploader {
  accountId: string | undefined;
  /** IP address. */
  ip: string | undefined;
}

type Database = Kysely<Tables> | Transaction<Tables>;

/** The images that there are among those ids. */
export async function findImages(database: Database, ids: readonly string[]): Promise<StoredImage[]> {
  return await database
    .selectFrom('image')
    .innerJoin('blob', 'blob.sha256', 'image.sha256')
    .select([
      'image.id',
      'blob.sha256',
      'blob.folder',
      'blob.bytes',
      'blob.width',
      'blob.height',
      'image.image_type as imageType',
      'image.image_definition as imageDefinition',
      'image.record_id as recordId',
      'image.published_at as publishedAt',
    ])
    .where('image.id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
}

export async function findBlob(database: Database, sha256: string): Promise<Blob | undefined> {
  return await database
    .selectFrom('blob')
    .select(['sha256', 'folder', 'bytes', 'width', 'height'])
    .where('sha256', '=', sha256)
    .executeTakeFirst();
}

/** Inserts a blob unless there is one of the same content; returns the one that is there, locked until the transaction ends. */
export async function insertOrLockBlob(transaction: Transaction<Tables>, blob: Blob): Promise<Blob> {
  // The update changes nothing and locks the row.
  return await transaction
    .insertInto('blob')
    .values(blob)
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet((row) => ({ sha256: row.ref('excluded.sha256') })))
    .returning(['sha256', 'folder', 'bytes', 'width', 'height'])
    .executeTakeFirstOrThrow();
}

/** Locks a blob until the transaction ends; false when it is not there, or has its objects in another folder. */
export async function lockBlob(transaction: Transaction<Tables>, { sha256, folder }: Blob): Promise<boolean> {
  const row = await transaction
    .selectFrom('blob')
    .select('sha256')
    .where('sha256', '=', sha256)
    .where('folder', '=', folder)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Points a blob to the folder of its new objects: those that it had are lost. */
export async function moveBlob(database: Database, { sha256, folder }: Blob, lostFolder: string): Promise<void> {
  await database
    .updateTable('blob')
    .set({ folder })
    .where('sha256', '=', sha256)
    .where('folder', '=', lostFolder)
    .execute();
}

export async function insertImage(transaction: Transaction<Tables>, image: NewImage): Promise<void> {
  const { id, sha256, imageType, imageDefinition, uploader } = image;
  await transaction
    .insertInto('image')
    .values({
      id,
      sha256,
      image_type: imageType ?? null,
      image_definition: imageDefinition === undefined ? null : JSON.stringify(imageDefinition),
      client: uploader.ip === undefined ? null : clientBlock(uploader.ip),
      account_id: uploader.accountId ?? null,
    })
    .execute();
}

/** The network of an address, as the column has it: see `addressBlock`. */
export function clientBlock(ip: string) {
  return sql<string>`${addressBlock(ip)}::cidr`;
}
