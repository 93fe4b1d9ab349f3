import { z } from 'zod';
import { type Feedback, FeedbackState } from '@esd/proto/esd/submission/v1/feedback';
import { plainText } from '@esd/api/plain-text';
import type { feedback } from '@esd/api/feedback';
import {
  TARGETS,
  changeFeedback,
  deleteFeedback,
  getFeedback,
  getFeedbackImage,
  listFeedback,
  feedbackState,
  submitFeedback,
} from '@esd/api/feedback';
import { readFeedbackImage } from './feedback-image.ts';
import { jsonBody } from '../../http/body/json-body.ts';
import { pageLinks } from '../../http/page-links.ts';
import type { Route } from '../../http/route.ts';
import { sendSuccess } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

// An image of 5 MiB in Base64 plus the longest texts.
const FEEDBACK_BYTES = 7.5 * 1024 * 1024;
type State = z.output<typeof feedbackState>;

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

export function feedbackRoutes({ feedback: service }: Pick<Upstream, 'feedback'>): Route[] {
  return [
    serve(submitFeedback, {
      targets: TARGETS,
      body: jsonBody(submitBody, FEEDBACK_BYTES),
      handle: async ({ body: { imageBase64, ...texts }, call }, response) => {
        const image = imageBase64 ? readFeedbackImage(imageBase64) : undefined;
        const { id } = await service.submitFeedback({ ...texts, image }, call);
        response.status(201).json({ id, success: true, message: 'Thank you; the administrators will read it.' });
      },
    }),
    serve(listFeedback, {
      handle: async ({ query, call, request }, response) => {
        const { skip, limit } = query;
        const wireState = query.state === undefined ? FeedbackState.FEEDBACK_STATE_UNSPECIFIED : WIRE[query.state];
        const data: z.output<typeof feedback>[] = [];
        let total = 0;
        for await (const chunk of service.listFeedback({ state: wireState, skip, limit }, call)) {
          data.push(...chunk.feedback.map(feedbackOf));
          total = chunk.total;
        }
        response
          .set({ 'Cache-Control': 'no-store', Link: pageLinks(request, { skip, limit, total }) })
          .json({ data, total, skip, limit });
      },
    }),
    serve(getFeedback, {
      handle: async ({ parameters, call }, response) => {
        const answer = await service.getFeedback(parameters, call);
        response.set('Cache-Control', 'no-store').json(feedbackOf(answer.feedback));
      },
    }),
    serve(getFeedbackImage, {
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
    serve(changeFeedback, {
      handle: async ({ parameters: { id }, body, call }, response) => {
        const answer = await service.updateFeedback({ id, state: WIRE[body.state], note: body.note }, call);
        response.set('Cache-Control', 'no-store').json(feedbackOf(answer.feedback));
      },
    }),
    serve(deleteFeedback, {
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
  const name = feedbackState.options.find((option) => WIRE[option] === wireState);
  if (!name) throw new Error(`feedback message ${row.id} has no state`);
  return {
    ...members,
    state: name,
    submittedAt: submittedAt.toISOString(),
    changedAt: changedAt?.toISOString(),
  };
}
