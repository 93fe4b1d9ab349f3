import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

declare module 'express-serve-static-core' {
  interface Request {
    /** The gateway's own id of the request: in the answer, in every log, and in the calls to the services. */
    requestId: string;
  }
}

/** Names the request; a name that the caller sends is not believed, so that two requests never share one. */
export const requestId: RequestHandler = (request, response, next) => {
  request.requestId = randomUUID();
  response.setHeader('X-Request-Id', request.requestId);
  next();
};
