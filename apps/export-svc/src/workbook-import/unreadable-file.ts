import { ServiceError } from '@esd/service/errors';

export function unreadableFile(what: string, cause?: unknown): ServiceError {
  return new ServiceError('INVALID_REQUEST', `The file cannot be read: ${what}`, { cause });
}
