import {
  type Feedback,
  FeedbackServiceService,
  FeedbackState as WireState,
} from '@esd/proto/esd/submission/v1/feedback';
import { ServiceError } from '@esd/service/errors';
import { requireRole } from '@esd/service/auth/require-caller';
import { type CallContext, type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { Kysely } from 'kysely';
import {
  deleteFeedback,
  type FeedbackEntry,
  type FeedbackFile,
  findFeedback,
  getFeedback,
  getFeedbackImage,
  updateFeedback,
} from '../feedback/feedback.store.ts';
import { type FeedbackState, feedbackStates, imageMediaTypes } from '../feedback/feedback.table.ts';
import { type FeedbackLimits, submitFeedback } from '../feedback/submit-feedback.ts';
import type { Tables } from '../tables.ts';

const MAX_ENTRIES = 1_000;
// A message takes up to 30 KB.
const ENTRIES_PER_MESSAGE = 100;

const WIRE: Record<FeedbackState, WireState> = {
  OPEN: WireState.FEEDBACK_STATE_OPEN,
  IN_PROGRESS: WireState.FEEDBACK_STATE_IN_PROGRESS,
  CLOSED: WireState.FEEDBACK_STATE_CLOSED,
};

export function feedbackRpc(database: Kysely<Tables>, limits: FeedbackLimits): RpcService {
  return rpcService(FeedbackServiceService, {
    submitFeedback: async ({ image, ...texts }, context) => ({
      id: await submitFeedback(database, { ...texts, image: image && fromWireImage(image) }, context, limits),
    }),

    listFeedback: async function* ({ state, skip, limit }, context) {
      requireAdmin(context);
      if (skip < 0 || limit < 1 || limit > MAX_ENTRIES) {
        throw new ServiceError('INVALID_PARAMETER', `\`skip\` must be 0 or more, and \`limit\` 1 to ${MAX_ENTRIES}.`);
      }
      const { feedback, total } = await findFeedback(database, { state: fromWireState(state), skip, limit });
      for (let start = 0; start === 0 || start < feedback.length; start += ENTRIES_PER_MESSAGE) {
        yield { feedback: feedback.slice(start, start + ENTRIES_PER_MESSAGE).map(toWire), total };
      }
    },

    getFeedback: async ({ id }, context) => {
      requireAdmin(context);
      return { feedback: toWire(await getFeedback(database, id)) };
    },

    getFeedbackImage: async ({ id }, context) => {
      requireAdmin(context);
      return { image: await getFeedbackImage(database, id) };
    },

    updateFeedback: async ({ id, state: wireState, note }, context) => {
      const { accountId } = requireAdmin(context);
      const state = fromWireState(wireState);
      if (!state) throw new ServiceError('INVALID_PARAMETER', `\`state\` must be one of ${feedbackStates.join(', ')}.`);
      return { feedback: toWire(await updateFeedback(database, id, { state, note, accountId })) };
    },

    deleteFeedback: async ({ id }, context) => {
      const { accountId } = requireAdmin(context);
      await deleteFeedback(database, id, { accountId, requestId: context.requestId });
      return {};
    },
  });
}

function requireAdmin(context: CallContext) {
  return requireRole(context, 'ADMIN');
}

function fromWireState(wire: WireState): FeedbackState | undefined {
  return feedbackStates.find((state) => WIRE[state] === wire);
}

function fromWireImage({ mediaType, content }: { mediaType: string; content: Uint8Array }): FeedbackFile {
  const known = imageMediaTypes.find((type) => type === mediaType);
  if (!known)
    throw new ServiceError(
      'INVALID_PARAMETER',
      `The image must be one of ${imageMediaTypes.join(', ')}, not ${mediaType}.`,
    );
  return { mediaType: known, content: Buffer.from(content) };
}

function toWire({ state, note, changedAt, changedBy, ...feedback }: FeedbackEntry): Feedback {
  return {
    ...feedback,
    state: WIRE[state],
    note: note ?? undefined,
    changedAt: changedAt ?? undefined,
    changedBy: changedBy ?? undefined,
  };
}
