import { parseEntityTags } from '@esd/service/http/entity-tag';
import { ServiceError } from '@esd/service/errors';

/**
 * Returns the entity tags of an If-Match header; empty if it is absent or `*`, which every state matches. Throws
 * INVALID_PARAMETER for a malformed header, because a condition must not be lost.
 */
export function entityTagsOf(ifMatch: string | undefined): string[] {
  if (ifMatch === undefined) return [];
  const tags = parseEntityTags(ifMatch);
  if (tags === '*') return [];
  if (tags === undefined || tags.length === 0) {
    throw new ServiceError('INVALID_PARAMETER', '`If-Match` must be `*` or entity tags in quotes, such as "7-2".');
  }
  return [...tags];
}
