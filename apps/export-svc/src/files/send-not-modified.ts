import type { IncomingMessage, ServerResponse } from 'node:http';
import { DATASET_REVISION } from '@esd/api/dataset-headers';
import { matchesEntityTag, parseEntityTags } from '@esd/service/http/entity-tag';
import type { StoredAnswer } from './send-stored-file.ts';

/** Sends 304 if the client has the current representation. Returns whether it did. */
export function sendNotModified(
  { tag, headers }: Pick<StoredAnswer, 'tag' | 'headers'>,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (!matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) return false;
  const { 'Cache-Control': cacheControl = 'no-cache', [DATASET_REVISION]: revision = '0' } = headers;
  response.writeHead(304, { ETag: `"${tag}"`, 'Cache-Control': cacheControl, [DATASET_REVISION]: revision }).end();
  return true;
}
