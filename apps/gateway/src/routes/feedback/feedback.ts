import { z } from 'zod';
import { type Feedback, FeedbackState } from '@esd/proto/esd/submission/v1/feedback';
import { imageTypes, readFeedbackImage } from './feedback-image.ts';
import { jsonBody } from '../../http/body/json-body.ts';
import { linkHeader } from '../../http/link-header.ts';
import { pagedResponse, pagedHeaders, pagedQuery } from '@esd/api/paged-list';
import { selfUrl } from '../../http/public-url.ts';
import { plainText } from '@esd/api/plain-text';
import { integerText } from '@esd/api/number-text';
import { route, type Route } from '../../http/route.ts';
import { sendSuccess, success } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';

// An image of 5 MiB in Base64 plus the longest texts.
const FEEDBACK_BYTES = 7.5 * 1024 * 1024;

const state = z.enum(['OPEN', 'IN_PROGRESS', 'CLOSED']).meta({ id: 'FeedbackState' });
type State = z.output<typeof state>;

const WIRE: Record<State, FeedbackState> = {
  OPEN: FeedbackState.FEEDBACK_STATE_OPEN,
  IN_PROGRESS: FeedbackState.FEEDBACK_STATE_IN_PROGRESS,
  CLOSED: FeedbackState.FEEDBACK_STATE_CLOSED,
};

const submitBody = z.strictObject({
  name: plainText(0, 200),
  category: plainText(0, 60),
  subject: plainText(0, 200),
  message: plainText(1, 10_000),
  imageBase64: z.string().nullable().optional().meta({
    description: 'A PNG, JPEG or WebP image of at most 5 MiB, optionally as a `data:` URL.',
  }),
});
const submitAnswer = z.strictObject({ id: z.int(), success: z.literal(true), message: z.string() });
const changeBody = z.strictObject({
  state,
  note: plainText(0, 2_000)
    .optional()
    .meta({ description: 'Replaces the note. If omitted, the note remains unchanged.' }),
});
const listQuery = z.object({ state: state.optional(), ...pagedQuery.shape });
const feedback = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    category: z.string(),
    subject: z.string(),
    message: z.string(),
    hasImage: z.boolean(),
    state,
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

const TARGETS = ['esd.submission.v1.FeedbackService'] as const;
const ADMIN = 'Requires the role ADMIN.';
const ofAdmin = { caller: 'required', role: 'ADMIN', targets: TARGETS } as const;

export function feedbackRoutes({ feedback: service }: Pick<Upstream, 'feedback'>): Route[] {
  return [
    route({
      method: 'post',
      path: '/feedback/submit',
      caller: 'optional',
      targets: TARGETS,
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
      body: jsonBody(submitBody, FEEDBACK_BYTES),
      answer: submitAnswer,
      handle: async ({ body: { imageBase64, ...texts }, call }, response) => {
        const image = imageBase64 ? readFeedbackImage(imageBase64) : undefined;
        const { id } = await service.submitFeedback({ ...texts, image }, call);
        response.status(201).json({ id, success: true, message: 'Thank you; the administrators will read it.' });
      },
    }),
    route({
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
      answer: pagedResponse(feedback),
      handle: async ({ query, call, request }, response) => {
        const { skip, limit } = query;
        const wireState = query.state === undefined ? FeedbackState.FEEDBACK_STATE_UNSPECIFIED : WIRE[query.state];
        const data: z.output<typeof feedback>[] = [];
        let total = 0;
        for await (const chunk of service.listFeedback({ state: wireState, skip, limit }, call)) {
          data.push(...chunk.feedback.map(feedbackOf));
          total = chunk.total;
        }
        const parameters: Record<string, string> = query.state === undefined ? {} : { state: query.state };
        response
          .set({ 'Cache-Control': 'no-store', Link: linkHeader(selfUrl(request), { skip, limit, total, parameters }) })
          .json({ data, total, skip, limit });
      },
    }),
    route({
      method: 'get',
      path: '/feedback/:id',
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
      answer: feedback,
      handle: async ({ parameters, call }, response) => {
        const answer = await service.getFeedback(parameters, call);
        response.set('Cache-Control', 'no-store').json(feedbackOf(answer.feedback));
      },
    }),
    route({
      method: 'get',
      path: '/feedback/:id/image',
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
      handle: async ({ parameters: { id }, call }, response) => {
        const { image } = await service.getFeedbackImage({ id }, call);
        if (!image) throw new Error(`feedback message ${id} has no image`);
        const { mediaType, content } = image;
        const name = `feedback-${id}.${mediaType.slice('image/'.length)}`;
        response
          .set({
            'Cache-Control': 'no-store',
            'Content-Type': mediaType,
            'Content-Disposition': `attachment; filename="${name}"`,
            // Untrusted content: a browser must not run anything in it.
            'Content-Security-Policy': "default-src 'none'; sandbox",
          })
          .send(Buffer.from(content));
      },
    }),
    route({
      method: 'patch',
      path: '/feedback/:id',
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
      body: jsonBody(changeBody),
      answer: feedback,
      handle: async ({ parameters: { id }, body, call }, response) => {
        const answer = await service.updateFeedback({ id, state: WIRE[body.state], note: body.note }, call);
        response.set('Cache-Control', 'no-store').json(feedbackOf(answer.feedback));
      },
    }),
    route({
      method: 'delete',
      path: '/feedback/:id',
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
      answer: success,
      handle: async ({ parameters: { id }, call }, response) => {
        await service.deleteFeedback({ id }, call);
        sendSuccess(response, `Feedback message ${id} is deleted.`);
      },
    }),
  ];
}

function feedbackOf(row: Feedback | undefined): z.output<typeof feedback> {
  if (!row?.submittedAt) throw new Error('the response has no feedback message');
  const { state: wireState, submittedAt, changedAt, ...members } = row;
  const name = state.options.find((option) => WIRE[option] === wireState);
  if (!name) throw new Error(`feedback message ${row.id} has no state`);
  return {
    ...members,
    state: name,
    submittedAt: submittedAt.toISOString(),
    changedAt: changedAt?.toISOString(),
  };
}
