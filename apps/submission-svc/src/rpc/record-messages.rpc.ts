import { RecordMessageServiceService } from '@esd/proto/esd/submission/v1/record_messages';
import { requireCaller } from '@esd/service/auth/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { Kysely } from 'kysely';
import { addMessage, listMessages } from '../messages/messages.ts';
import type { Tables } from '../tables.ts';

export function recordMessagesRpc(database: Kysely<Tables>): RpcService {
  return rpcService(RecordMessageServiceService, {
    listMessages: async ({ recordId }, call) => ({
      messages: await listMessages(database, recordId, requireCaller(call)),
    }),
    addMessage: async ({ recordId, text }, call) => ({
      message: await addMessage(database, recordId, text, requireCaller(call)),
    }),
  });
}
