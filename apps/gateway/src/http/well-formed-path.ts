import { type RequestHandler, Router } from 'express';
import { ServiceError } from '@esd/service/errors';

/** Refuses a path whose percent-encoding is not valid UTF-8, or that holds a NUL, which no name has; it counts by `limit`. */
export function wellFormedPath(limit: readonly RequestHandler[]): RequestHandler {
  const refuse = (message: string): Router =>
    Router().use(...limit, () => {
      throw new ServiceError('INVALID_REQUEST', message);
    });
  const malformed = refuse('The path must be valid percent-encoded UTF-8.');
  const withNul = refuse('The path must not contain null characters.');
  return (request, response, next) => {
    let path;
    try {
      path = decodeURIComponent(request.path);
    } catch {
      malformed(request, response, next);
      return;
    }
    if (path.includes('\0')) withNul(request, response, next);
    else next();
  };
}
