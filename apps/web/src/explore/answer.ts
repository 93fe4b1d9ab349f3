import type { ExploreResponse } from '@esd/pages/explore-data';
import { isObject } from '@esd/record/validate/is-object';
import { type Answer, RequestError } from '../client/request.ts';

/** Returns the parts of a view in a response. Throws RequestError if the body is no object. */
export function answerOf({ body }: Pick<Answer, 'body'>): ExploreResponse {
  if (!isObject(body)) throw new RequestError(0, undefined);
  // The gateway writes this type.
  return body as unknown as ExploreResponse;
}
