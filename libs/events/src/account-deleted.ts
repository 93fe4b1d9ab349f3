import { AccountDeleted } from '@esd/proto/esd/events/v1/account_deleted';

export interface DeletedAccount {
  accountId: string;
  deletedAt: Date;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Decodes the body of `esd.account.deleted.v1`. Throws if it is invalid or incomplete. */
export function decodeAccountDeleted(bytes: Uint8Array): DeletedAccount {
  const { accountId, deletedAt } = AccountDeleted.decode(bytes);
  if (!UUID.test(accountId) || !deletedAt) throw new Error(`account.deleted of "${accountId}" is incomplete`);
  return { accountId, deletedAt };
}
