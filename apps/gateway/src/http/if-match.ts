import { parseEntityTags } from '@esd/service/http/entity-tag';
import { ServiceError } from '@esd/service/errors';

/** Returns the tags of If-Match; empty if absent or `*`. Throws INVALID_PARAMETER: a malformed condition must not be ignored. */
export function entityTagsOf(ifMatch: string | undefined): string[] {
  if (ifMatch === undefined) return [];
  const tags = parseEntityTags(ifMatch);
  if (tags === '*') return [];
  if (tags === undefined) {
    throw new ServiceError('INVALID_PARAMETER', '`If-Match` must be `*` or entity tags in quotes, such as "7-2".');
  }
  return [...tags];
}
