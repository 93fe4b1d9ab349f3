import { exploreAnswerSchema } from '@esd/pages/explore-data';
import type * as z from 'zod/mini';
import { type Answer, RequestError } from '../client/request.ts';
import { read } from '../client/read.ts';

/** Parses the response that contains parts of a view. Throws RequestError if it is invalid. */
export function answerOf(answer: Pick<Answer, 'body'>): z.output<typeof exploreAnswerSchema> {
  try {
    return read(exploreAnswerSchema, answer);
  } catch {
    throw new RequestError(0, undefined);
  }
}
