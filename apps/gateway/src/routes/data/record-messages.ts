import type { z } from 'zod';
import type { Message } from '@esd/proto/esd/submission/v1/record_messages';
import { ServiceError } from '@esd/service/errors';
import type { message } from '@esd/api/messages';
import { listMessages, listUnread, markMessagesRead, sendMessage } from '@esd/api/messages';
import type { Route } from '../../http/route.ts';
import { sendSuccess } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function recordMessageRoutes({ recordMessages }: Pick<Upstream, 'recordMessages'>): Route[] {
  return [
    serve(listMessages, {
      targets: ['esd.submission.v1.RecordMessageService'],
      handle: async ({ parameters: { recordId }, call }, response) => {
        const { messages } = await recordMessages.listMessages({ recordId }, call);
        response.set('Cache-Control', 'no-store').json(messages.map(messageOf));
      },
    }),
    serve(sendMessage, {
      targets: ['esd.submission.v1.RecordMessageService'],
      handle: async ({ parameters: { recordId }, body: { text }, call }, response) => {
        const answer = await recordMessages.addMessage({ recordId, text }, call);
        if (!answer.message) throw new Error('the response has no message');
        response.status(201).set('Cache-Control', 'no-store').json(messageOf(answer.message));
      },
    }),
    serve(markMessagesRead, {
      targets: ['esd.submission.v1.RecordMessageService'],
      handle: async ({ parameters: { recordId }, body: { upTo }, call }, response) => {
        const { marked } = await recordMessages.markRead({ recordId, upTo }, call);
        if (!marked) throw unknownMessage(recordId, upTo);
        sendSuccess(response, `The messages of record ${recordId} up to message ${upTo} are marked as read.`);
      },
    }),
    serve(listUnread, {
      targets: ['esd.submission.v1.RecordMessageService'],
      handle: async ({ call }, response) => {
        const { messages, threads, moderation } = await recordMessages.getUnread({}, call);
        response
          .set('Cache-Control', 'no-store')
          .json({ messages, records: threads, ...(moderation ? { moderation } : {}) });
      },
    }),
  ];
}

function messageOf({ id, fromOwner, mine, text, createdAt }: Message): z.output<typeof message> {
  if (!createdAt) throw new Error(`message ${id} has no time`);
  return { id, from: fromOwner ? 'owner' : 'moderator', mine, text, createdAt: createdAt.toISOString() };
}

function unknownMessage(recordId: number, upTo: number): ServiceError {
  const message = `Record ${recordId} has no message ${upTo}. Send the id of one of its messages.`;
  return new ServiceError('VALIDATION_FAILED', 'The body has a problem.', {
    details: {
      errors: [{ path: 'upTo', code: 'UNKNOWN_MESSAGE', message }],
      errorCount: 1,
    },
  });
}
