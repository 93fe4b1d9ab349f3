import { z } from 'zod';
import { integerText } from './number-text.ts';
import { operation } from './operation.ts';
import { pagedResponse, pagedHeaders, pagedQuery } from './paged-list.ts';
import { plainText } from './plain-text.ts';
import { success } from './success.ts';

/** Accepted media types of a feedback image. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;

export const feedbackState = z.enum(['OPEN', 'IN_PROGRESS', 'CLOSED']).meta({ id: 'FeedbackState' });

const submitAnswer = z.strictObject({ id: z.int(), success: z.literal(true), message: z.string() });

const changeBody = z.strictObject({
  state: feedbackState,
  note: plainText(0, 2_000)
    .optional()
    .meta({ description: 'Replaces the note. If omitted, the note remains unchanged.' }),
});

const listQuery = z.object({ state: feedbackState.optional(), ...pagedQuery.shape });

export const feedback = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    category: z.string(),
    subject: z.string(),
    message: z.string(),
    hasImage: z.boolean(),
    state: feedbackState,
    note: z.string().optional(),
    submittedAt: z.iso.datetime(),
    changedAt: z.iso
      .datetime()
      .optional()
      .meta({ description: 'The time at which the state or the note last changed.' }),
    changedBy: z.uuid().optional().meta({ description: 'The id of the account that made the last change.' }),
  })
  .meta({ id: 'Feedback' });

const idParameter = z.object({ id: integerText(1, Number.MAX_SAFE_INTEGER) });

export const TARGETS = ['esd.submission.v1.FeedbackService'] as const;

const ADMIN = 'Requires the role ADMIN.';

const ofAdmin = { caller: 'required', role: 'ADMIN', targets: TARGETS } as const;

export const submitFeedback = operation({
  method: 'post',
  path: '/feedback/submit',
  caller: 'optional',
  describe: {
    tag: 'Feedback',
    summary: 'Send feedback',
    details:
      'Only administrators can read feedback. Neither the account nor the address of the sender is stored. A keyed hash of the account or the network is stored until the message is closed, for at most 90 days. It limits each sender to 50 messages in 24 hours and to a share of the image space.',
    returns: 'The id of the feedback message.',
    status: 201,
    example: {
      body: { name: 'Ada', category: 'data', subject: 'A unit', message: 'Is the voltage of record 7 in kV?' },
    },
  },
  response: submitAnswer,
});

export const listFeedback = operation({
  method: 'get',
  path: '/feedback',
  ...ofAdmin,
  describe: {
    tag: 'Feedback',
    summary: 'List feedback',
    details: `${ADMIN} The newest messages come first.`,
    returns: 'A page of feedback messages, without the images.',
    answerHeaders: pagedHeaders,
    errors: ['FORBIDDEN'],
    example: { parameters: { state: 'OPEN' } },
  },
  query: listQuery,
  response: pagedResponse(feedback),
});

export const getFeedback = operation({
  method: 'get',
  path: '/feedback/{id}',
  ...ofAdmin,
  describe: {
    tag: 'Feedback',
    summary: 'Get a feedback message',
    details: ADMIN,
    returns: 'The feedback message, without its image.',
    errors: ['FORBIDDEN', 'FEEDBACK_NOT_FOUND'],
    example: { parameters: { id: 1 } },
  },
  parameters: idParameter,
  response: feedback,
});

export const getFeedbackImage = operation({
  method: 'get',
  path: '/feedback/{id}/image',
  ...ofAdmin,
  describe: {
    tag: 'Feedback',
    summary: 'Get the image of a feedback message',
    details: ADMIN,
    returns: 'The image as submitted.',
    otherTypes: imageTypes,
    answerHeaders: { 'Content-Disposition': 'The name of the file.' },
    errors: ['FORBIDDEN', 'FEEDBACK_NOT_FOUND'],
    example: { parameters: { id: 1 } },
  },
  parameters: idParameter,
});

export const changeFeedback = operation({
  method: 'patch',
  path: '/feedback/{id}',
  ...ofAdmin,
  describe: {
    tag: 'Feedback',
    summary: 'Change the state of a feedback message',
    details: ADMIN,
    returns: 'The feedback message.',
    errors: ['FORBIDDEN', 'FEEDBACK_NOT_FOUND'],
    example: { parameters: { id: 1 }, body: { state: 'IN_PROGRESS', note: 'Asked the authors.' } },
  },
  parameters: idParameter,
  body: changeBody,
  response: feedback,
});

export const deleteFeedback = operation({
  method: 'delete',
  path: '/feedback/{id}',
  ...ofAdmin,
  describe: {
    tag: 'Feedback',
    summary: 'Delete a feedback message',
    details: `${ADMIN} Its texts and its image are deleted permanently. The audit trail records the time and the account of the deletion.`,
    returns: 'A confirmation that the feedback message is deleted.',
    errors: ['FORBIDDEN', 'FEEDBACK_NOT_FOUND'],
    example: { parameters: { id: 1 } },
  },
  parameters: idParameter,
  response: success,
});
