import { ServiceError } from '@esd/service/errors';

/** A file that is of the right kind, but cannot be read. */
export function unreadableFile(what: string, cause?: unknown): ServiceError {
  return new ServiceError('INVALID_REQUEST', `The file cannot be read: ${what}`, cause);
}
