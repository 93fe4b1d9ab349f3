import type { RequestHandler } from 'express';
import { ServiceError } from '@esd/service/errors';

/** Refuses a path whose percent-encoding is not valid UTF-8, or that holds a NUL, which no name has. */
export const wellFormedPath: RequestHandler = (request, _response, next) => {
  let path;
  try {
    path = decodeURIComponent(request.path);
  } catch {
    throw new ServiceError('INVALID_REQUEST', 'The path is not valid percent-encoded UTF-8.');
  }
  if (path.includes('\0')) throw new ServiceError('INVALID_REQUEST', 'The path must not contain a NUL.');
  next();
};
