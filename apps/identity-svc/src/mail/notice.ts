import type { Transaction } from 'kysely';
import type { IdentityTables } from '../tables.ts';
import { insertMail } from './mail.store.ts';
import type { NoticeDetails, NoticeKind } from './mail.table.ts';

/** `details` must not contain text that a caller typed: the holder of a stolen credential could write in our name. */
export async function queueNotice(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  kind: NoticeKind,
  details: NoticeDetails = {},
): Promise<void> {
  const item = { at: new Date().toISOString(), ...details };
  await insertMail(transaction, kind, { accountId }, { details: JSON.stringify([item]) });
}
