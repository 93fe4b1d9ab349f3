import type { Request, Response } from 'express';
import type { Metadata } from '@esd/record/metadata/metadata-formats';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';

/** Sends metadata, or 304 to who holds them: a DOI or a newer release changes what is said of a version. */
export function sendMetadata({ mediaType, text }: Metadata, request: Request, response: Response): void {
  const tag = textTag(text);
  response.setHeader('ETag', `"${tag}"`);
  response.setHeader('Cache-Control', 'no-cache');
  if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) {
    response.status(304).end();
    return;
  }
  response.setHeader('Content-Type', mediaType);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
