import { decodeAccountDeleted, type DeletedAccount } from '@esd/events/account-deleted';
import type { ConsumerOptions } from '@esd/events/consumer';
import type { Nats } from '@esd/events/nats';
import { DURABLES } from '@esd/events/stream';
import { eraseAccount } from './account/erase-account.ts';
import type { RecordContext } from './records/context.ts';

export function deletedAccountsConsumer(
  context: Pick<RecordContext, 'database' | 'images' | 'log'>,
  nats: Nats,
): ConsumerOptions<DeletedAccount> {
  return {
    nats,
    ...DURABLES.submissionAccountDeleted,
    decode: decodeAccountDeleted,
    handle: async (accounts) => {
      for (const account of accounts) await eraseAccount(context, account);
    },
    log: context.log,
  };
}
