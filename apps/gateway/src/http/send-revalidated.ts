import type { Request, Response } from 'express';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';

export interface TypedText {
  readonly mediaType: string;
  readonly text: string | Buffer;
}

/** Sends a text that caches must revalidate (`no-cache`), or 304 if the client has it. */
export function sendRevalidated({ mediaType, text }: TypedText, request: Request, response: Response): void {
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
