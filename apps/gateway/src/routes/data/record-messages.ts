import { z } from 'zod';
import type { Message } from '@esd/proto/esd/submission/v1/record_messages';
import { jsonBody } from '../../http/body/json-body.ts';
import { recordIdText, route, type Route } from '../../http/route.ts';
import { plainText } from '../../schemas/plain-text.ts';
import type { Upstream } from '../../upstream/upstream.ts';

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
const recordPath = z.object({ recordId: recordIdText });

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
  ];
}

function messageOf({ id, fromOwner, mine, text, createdAt }: Message): z.output<typeof message> {
  if (!createdAt) throw new Error(`message ${id} has no time`);
  return { id, from: fromOwner ? 'owner' : 'moderator', mine, text, createdAt: createdAt.toISOString() };
}
