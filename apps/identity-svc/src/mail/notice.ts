import type { Transaction } from 'kysely';
import type { IdentityTables } from '../tables.ts';
import { insertMail } from './mail.store.ts';
import type { NoticeDetails, NoticeKind } from './mail.table.ts';

/**
 * Queues a notice to the owner of an account. `details` must not contain text that a caller entered: the holder of a
 * stolen credential could otherwise send that text in our name.
 */
export async function queueNotice(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  kind: NoticeKind,
  details: NoticeDetails = {},
): Promise<void> {
  const item = { at: new Date().toISOString(), ...details };
  await insertMail(transaction, kind, { accountId }, { details: JSON.stringify([item]) });
}
