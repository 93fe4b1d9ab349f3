import { type Kysely, sql, type Transaction } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import { clientBlock } from '../image/image.store.ts';
import type { Tables } from '../tables.ts';

/** Bytes of stored PNG that may be unattached. */
export interface Quota {
  /** Of one client address and day. */
  clientBytes: number;
  totalBytes: number;
}

const DAY_SECONDS = 86_400;
const FULL_RETRY_SECONDS = 3_600;

/**
 * Refuses an upload of `bytes` that would leave more unattached than allowed: RATE_LIMITED until the oldest uploads of the
 * client are a day old, UNAVAILABLE while there is too much in all.
 */
export async function checkQuota(
  database: Kysely<Tables> | Transaction<Tables>,
  quota: Quota,
  client: string | undefined,
  bytes: number,
): Promise<void> {
  if (client !== undefined) {
    const own = await database
      .selectFrom('image')
      .innerJoin('blob', 'blob.sha256', 'image.sha256')
      .select((row) => [
        row.fn.coalesce(row.fn.sum<string>('blob.bytes'), sql<string>`0`).as('bytes'),
        row.fn.min('image.uploaded_at').as('oldest'),
      ])
      .where('image.client', '=', clientBlock(client))
      .where('image.record_id', 'is', null)
      .where('image.uploaded_at', '>', sql<Date>`now() - interval '1 day'`)
      .executeTakeFirstOrThrow();
    if (Number(own.bytes) + bytes > quota.clientBytes) {
      const age = (Date.now() - (own.oldest?.getTime() ?? Date.now())) / 1000;
      throw new ServiceError(
        'RATE_LIMITED',
        `From this address ${own.bytes} bytes of images were uploaded within a day that no record holds; ${quota.clientBytes} may be. ` +
          'Attach or delete some, or try again later.',
        undefined,
        Math.max(1, Math.ceil(DAY_SECONDS - age)),
      );
    }
  }
  const all = await database
    .selectFrom('image')
    .innerJoin('blob', 'blob.sha256', 'image.sha256')
    .select((row) => row.fn.coalesce(row.fn.sum<string>('blob.bytes'), sql<string>`0`).as('bytes'))
    .where('image.record_id', 'is', null)
    .executeTakeFirstOrThrow();
  if (Number(all.bytes) + bytes > quota.totalBytes) {
    throw new ServiceError(
      'UNAVAILABLE',
      'There is no room for more images that no record holds; try again later.',
      undefined,
      FULL_RETRY_SECONDS,
    );
  }
}

/** Lets the uploads of one client be counted one after the other until the transaction ends. */
export async function lockClient(transaction: Transaction<Tables>, client: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('upload ' || ${clientBlock(client)}::text, 0))`.execute(
    transaction,
  );
}
