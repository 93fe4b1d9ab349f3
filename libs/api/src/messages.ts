import { z } from 'zod';
import { idText } from './number-text.ts';
import { operation } from './operation.ts';
import { plainText } from './plain-text.ts';
import { success } from './success.ts';
import { needsAnswer } from './own-data.ts';

const MAX_TEXT_LENGTH = 2_000;

export const message = z
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

export const listMessages = operation({
  method: 'get',
  path: '/data/records/{recordId}/messages',
  caller: 'required',
  describe: {
    tag: 'Data',
    summary: 'List the messages about a record',
    details: ACCESS,
    returns: 'The messages, oldest first, without names and addresses.',
    errors: ['RECORD_NOT_FOUND'],
    example: { parameters: { recordId: 1 } },
  },
  parameters: recordPath,
  response: z.array(message),
});

export const sendMessage = operation({
  method: 'post',
  path: '/data/records/{recordId}/messages',
  caller: 'required',
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
  body: messageBody,
  response: message,
});

export const markMessagesRead = operation({
  method: 'post',
  path: '/data/records/{recordId}/messages/read',
  caller: 'required',
  describe: {
    tag: 'Data',
    summary: 'Mark the messages about a record as read',
    details: `${ACCESS} All moderators share one mark. An answer also marks the earlier messages as read; a GET marks nothing. Repeating the request changes nothing.`,
    returns: 'A confirmation.',
    errors: ['RECORD_NOT_FOUND'],
    example: { parameters: { recordId: 1 }, body: { upTo: 1 } },
  },
  parameters: recordPath,
  body: readBody,
  response: success,
});

export const listUnread = operation({
  method: 'get',
  path: '/data/unread',
  caller: 'required',
  describe: {
    tag: 'Data',
    summary: 'Count the unread messages of the caller',
    details:
      'Counts the messages from moderators about the records of the caller. A message is unread until the caller marks it as read or answers.',
    returns: 'The counts.',
  },
  response: unread,
});
