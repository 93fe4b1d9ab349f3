import { RecordMessageServiceService } from '@esd/proto/esd/submission/v1/record_messages';
import { requireCaller } from '@esd/service/auth/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { Kysely } from 'kysely';
import { addMessage, listMessages, markRead } from '../messages/messages.ts';
import { countModeration, findUnreadThreads } from '../messages/unread.store.ts';
import type { Tables } from '../tables.ts';

export function recordMessagesRpc(database: Kysely<Tables>): RpcService {
  return rpcService(RecordMessageServiceService, {
    listMessages: async ({ recordId }, call) => ({
      messages: await listMessages(database, recordId, requireCaller(call)),
    }),
    addMessage: async ({ recordId, text }, call) => ({
      message: await addMessage(database, recordId, text, requireCaller(call)),
    }),
    markRead: async ({ recordId, upTo }, call) => ({
      marked: await markRead(database, recordId, upTo, requireCaller(call)),
    }),
    getUnread: async (_request, call) => {
      const { accountId, role } = requireCaller(call);
      const unread = await findUnreadThreads(database, accountId);
      return { ...unread, moderation: role === 'USER' ? undefined : await countModeration(database) };
    },
  });
}
