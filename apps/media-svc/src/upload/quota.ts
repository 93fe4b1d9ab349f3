import { type Kysely, type RawBuilder, sql, type SqlBool, type Transaction } from 'kysely';
import { lockUntilCommit } from '@esd/background/advisory-lock';
import { addressNetwork, clientAt } from '@esd/service/quota-client';
import { NETWORK_SHARES } from '@esd/service/client-shares';
import { ServiceError } from '@esd/service/errors';
import { clientBlock, type Uploader } from '../image/image.store.ts';
import type { Tables } from '../tables.ts';

/** Maximum bytes of unattached stored PNGs. */
export interface Quota {
  /** Per day and client: an account, an IPv4 address, or an IPv6 /64. */
  clientBytes: number;
  /** For all uploads without an account; the rest of the total is reserved for accounts. */
  anonymousBytes: number;
  totalBytes: number;
}

const DAY_SECONDS = 86_400;
const FULL_RETRY_SECONDS = 3_600;

type Database = Kysely<Tables> | Transaction<Tables>;

/** Throws RATE_LIMITED until the oldest uploads of the client are a day old, and UNAVAILABLE while the total is reached. */
export async function checkQuota(database: Database, quota: Quota, uploader: Uploader, bytes: number): Promise<void> {
  for (const { condition, share, scope } of sharesOf(quota, uploader)) {
    const own = await unattached(database)
      .select((row) => row.fn.min('image.uploaded_at').as('oldest'))
      .where(condition)
      .where('image.uploaded_at', '>', sql<Date>`now() - interval '1 day'`)
      .executeTakeFirstOrThrow();
    if (Number(own.bytes) + bytes > share) {
      const age = (Date.now() - (own.oldest?.getTime() ?? Date.now())) / 1000;
      throw new ServiceError(
        'RATE_LIMITED',
        `This ${scope} has uploaded ${own.bytes} bytes of unattached images within 24 hours ` +
          `(limit ${share}). Attach or delete some of them, or try again later.`,
        { retryAfterSeconds: Math.max(1, Math.ceil(DAY_SECONDS - age)) },
      );
    }
  }
  const all = await unattached(database)
    .select(sql<string>`coalesce(sum(blob.bytes) filter (where image.account_id is null), 0)`.as('anonymous'))
    .executeTakeFirstOrThrow();
  if (Number(all.bytes) + bytes > quota.totalBytes) {
    throw storageFull('Storage for images that are not attached to a record is full. Try again later.');
  }
  if (uploader.accountId === undefined && Number(all.anonymous) + bytes > quota.anonymousBytes) {
    throw storageFull(
      'Storage for unattached images from users without an account is full. Sign in, or try again later.',
    );
  }
}

/** Serializes the uploads of one client until the transaction ends. */
export async function lockUploader(transaction: Transaction<Tables>, { accountId, ip }: Uploader): Promise<void> {
  const name = accountId ?? (ip === undefined ? undefined : addressNetwork(ip));
  if (name === undefined) return;
  await lockUntilCommit(transaction, `upload ${name}`);
}

function unattached(database: Database) {
  return database
    .selectFrom('image')
    .innerJoin('blob', 'blob.sha256', 'image.sha256')
    .select((row) => row.fn.coalesce(row.fn.sum<string>('blob.bytes'), sql<string>`0`).as('bytes'))
    .where('image.record_id', 'is', null);
}

/** Returns the daily limits of an uploader, each with the images that count toward it. */
function sharesOf(
  { clientBytes }: Quota,
  { accountId, ip }: Uploader,
): { condition: RawBuilder<SqlBool>; share: number; scope: string }[] {
  if (accountId !== undefined) {
    return [{ condition: sql`image.account_id = ${accountId}`, share: clientBytes, scope: 'account' }];
  }
  if (ip === undefined) return [];
  const own = {
    condition: sql<SqlBool>`image.account_id is null and image.client = ${clientBlock(ip)}`,
    share: clientBytes,
    scope: 'address',
  };
  const { network } = clientAt(ip);
  if (network === undefined) return [own];
  return [
    own,
    {
      condition: sql<SqlBool>`image.account_id is null and image.client <<= ${network}::cidr`,
      share: clientBytes * NETWORK_SHARES,
      scope: 'network',
    },
  ];
}

function storageFull(message: string): ServiceError {
  return new ServiceError('UNAVAILABLE', message, { retryAfterSeconds: FULL_RETRY_SECONDS });
}
