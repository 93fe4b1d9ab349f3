import { type Kysely, sql, type Transaction } from 'kysely';
import { addressBlock } from '@esd/service/quota-client';
import type { Tables } from '../tables.ts';

/** A stored PNG, shared by all images with the same content. */
export interface Blob {
  sha256: string;
  /** Folder of its objects in the object store. */
  folder: string;
  bytes: number;
  width: number;
  height: number;
  /** Whether the contrast of its smaller variants is stretched. */
  stretched: boolean;
}

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

/** The signed-in account and the IP address of an upload; internal work has neither. */
export interface Uploader {
  accountId: string | undefined;
  ip: string | undefined;
}

type Database = Kysely<Tables> | Transaction<Tables>;

/** Finds images by id; unknown ids are left out. */
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
      'blob.stretched',
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
    .select(['sha256', 'folder', 'bytes', 'width', 'height', 'stretched'])
    .where('sha256', '=', sha256)
    .executeTakeFirst();
}

/** Inserts a blob unless one with the same content exists. Returns the stored one, locked until the transaction ends. */
export async function insertOrLockBlob(transaction: Transaction<Tables>, blob: Blob): Promise<Blob> {
  // The update changes nothing and locks the row.
  return await transaction
    .insertInto('blob')
    .values(blob)
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet((row) => ({ sha256: row.ref('excluded.sha256') })))
    .returning(['sha256', 'folder', 'bytes', 'width', 'height', 'stretched'])
    .executeTakeFirstOrThrow();
}

/** Locks a blob until the transaction ends; returns false if it was deleted or its objects are in another folder. */
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

/** Points a blob to the folder of its new objects, because the store lost the old ones. */
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

/** Returns the network of an address as a `cidr`; see `addressBlock`. */
export function clientBlock(ip: string) {
  return sql<string>`${addressBlock(ip)}::cidr`;
}
