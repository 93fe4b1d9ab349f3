import { z } from 'zod';
import type { Message } from '@esd/proto/esd/submission/v1/record_messages';
import { ServiceError } from '@esd/service/errors';
import { jsonBody } from '../../http/body/json-body.ts';
import { idText } from '@esd/api/number-text';
import { route, type Route } from '../../http/route.ts';
import { plainText } from '@esd/api/plain-text';
import { sendSuccess, success } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { needsAnswer } from './my-records.ts';

const MAX_TEXT_LENGTH = 2_000;

const message = z
  .strictObject({
    id: z.int(),
    from: z.enum(['owner', 'moderator']),
    mine: z.boolean().meta({ description: 'Whether the caller wrote it.' }),
    text: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'RecordMessage' });
const messageBody = z.strictObject({ text: plainText(1, MAX_TEXT_LENGTH).meta({ description: 'Plain text.' }) });
const recordPath = z.object({ recordId: idText });
const readBody = z.strictObject({
  upTo: z.int().min(1).meta({ description: 'The id of the newest read message of this record.' }),
});
const unread = z
  .strictObject({
    messages: z.int().meta({ description: 'The number of unread messages about all records of the caller.' }),
    records: z
      .array(z.strictObject({ recordId: z.int(), submissionId: z.int(), messages: z.int(), needsAnswer }))
      .meta({ description: 'At most 100 records with unread messages, newest message first.' }),
    moderation: z
      .strictObject({
        waiting: z.int().meta({ description: 'The number of records that await review.' }),
        answered: z.int().meta({
          description:
            'The number of records whose newest message is from the owner, and on which no moderator has written, decided, or marked it as read since.',
        }),
      })
      .optional()
      .meta({ description: 'Only for a session of a MODERATOR or ADMIN.' }),
  })
  .meta({ id: 'Unread' });

const ACCESS =
  'Available to the owner of the record, and to moderators with a session. For other callers, and for a record without an owner, the response is 404.';

export function recordMessageRoutes({ recordMessages }: Pick<Upstream, 'recordMessages'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/data/records/:recordId/messages',
      caller: 'required',
      targets: ['esd.submission.v1.RecordMessageService'],
      describe: {
        tag: 'Data',
        summary: 'List the messages about a record',
        details: ACCESS,
        returns: 'The messages, oldest first, without names and addresses.',
        errors: ['RECORD_NOT_FOUND'],
        example: { parameters: { recordId: 1 } },
      },
      parameters: recordPath,
      answer: z.array(message),
      handle: async ({ parameters: { recordId }, call }, response) => {
        const { messages } = await recordMessages.listMessages({ recordId }, call);
        response.set('Cache-Control', 'no-store').json(messages.map(messageOf));
      },
    }),
    route({
      method: 'post',
      path: '/data/records/:recordId/messages',
      caller: 'required',
      targets: ['esd.submission.v1.RecordMessageService'],
      describe: {
        tag: 'Data',
        summary: 'Send a message about a record',
        details: `${ACCESS} The recipient is the owner, or the moderators who wrote about this record. They get an email without the text, at most once an hour. A record can have at most 50 messages; after that, the response is 409.`,
        returns: 'The message.',
        status: 201,
        errors: ['RECORD_NOT_FOUND', 'CONFLICT'],
        example: { parameters: { recordId: 1 }, body: { text: 'Which solvent did you use?' } },
      },
      parameters: recordPath,
      body: jsonBody(messageBody),
      answer: message,
      handle: async ({ parameters: { recordId }, body: { text }, call }, response) => {
        const answer = await recordMessages.addMessage({ recordId, text }, call);
        if (!answer.message) throw new Error('the response has no message');
        response.status(201).set('Cache-Control', 'no-store').json(messageOf(answer.message));
      },
    }),
    route({
      method: 'post',
      path: '/data/records/:recordId/messages/read',
      caller: 'required',
      targets: ['esd.submission.v1.RecordMessageService'],
      describe: {
        tag: 'Data',
        summary: 'Mark the messages about a record as read',
        details: `${ACCESS} All moderators share one mark. An answer also marks the earlier messages as read; a GET marks nothing. Repeating the request changes nothing.`,
        returns: 'A confirmation.',
        errors: ['RECORD_NOT_FOUND'],
        example: { parameters: { recordId: 1 }, body: { upTo: 1 } },
      },
      parameters: recordPath,
      body: jsonBody(readBody),
      answer: success,
      handle: async ({ parameters: { recordId }, body: { upTo }, call }, response) => {
        const { marked } = await recordMessages.markRead({ recordId, upTo }, call);
        if (!marked) throw unknownMessage(recordId, upTo);
        sendSuccess(response, `The messages of record ${recordId} up to message ${upTo} are marked as read.`);
      },
    }),
    route({
      method: 'get',
      path: '/data/unread',
      caller: 'required',
      targets: ['esd.submission.v1.RecordMessageService'],
      describe: {
        tag: 'Data',
        summary: 'Count the unread messages of the caller',
        details:
          'Counts the messages from moderators about the records of the caller. A message is unread until the caller marks it as read or answers.',
        returns: 'The counts.',
      },
      answer: unread,
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
  return ServiceError.withDetails('VALIDATION_FAILED', 'The body has a problem.', {
    errors: [{ path: 'upTo', code: 'UNKNOWN_MESSAGE', message }],
    errorCount: 1,
  });
}
