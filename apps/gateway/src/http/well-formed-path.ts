import { ServiceError } from '@esd/service/errors';

/** Why a path is refused: its percent-encoding is not valid UTF-8, or it holds a NUL, which no name has. */
export function malformedPath(path: string): ServiceError | undefined {
  // Bytes that are not encoded are checked by Node's own parser.
  if (!path.includes('%')) return undefined;
  try {
    if (!decodeURIComponent(path).includes('\0')) return undefined;
  } catch {
    return new ServiceError('INVALID_REQUEST', 'The path must be valid percent-encoded UTF-8.');
  }
  return new ServiceError('INVALID_REQUEST', 'The path must not contain null characters.');
}
