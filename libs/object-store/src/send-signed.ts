import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { type S3Deadlines, setDeadlines } from './s3-client.ts';

export interface SignedRequest {
  url: string;
  method: 'GET' | 'PUT';
  headers: Record<string, string>;
  body?: AsyncIterable<Buffer>;
  signal?: AbortSignal | undefined;
}

/**
 * Sends a request to a signed URL; resolves when the response begins. Throws a network error, the reason of the signal, or
 * UNAVAILABLE after the deadlines; closes the connection before it throws.
 */
export async function sendSigned(
  { url, method, headers, body, signal }: SignedRequest,
  deadlines: S3Deadlines,
): Promise<IncomingMessage> {
  const ended = new AbortController();
  const stopped = signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal]);
  const open = url.startsWith('https:') ? httpsRequest : httpRequest;
  const request = open(url, { method, headers, signal: stopped });
  // Without a listener, an error after the start of the response would end the process.
  request.on('error', () => undefined);
  setDeadlines(request, body ? deadlines.uploadMs : deadlines.responseMs, deadlines.idleMs);
  try {
    // Safe cast: the response is the only argument of the event.
    const responseStart = once(request, 'response', { signal: stopped }) as Promise<[IncomingMessage]>;
    const sent = body === undefined ? Promise.resolve(request.end()) : pipeline(body, request, { signal: stopped });
    // An error response may arrive before the body is sent.
    const [[response]] = await Promise.all([responseStart, Promise.race([sent, responseStart])]);
    response.on('error', () => undefined);
    sent.catch(() => undefined);
    return response;
  } catch (error) {
    ended.abort();
    signal?.throwIfAborted();
    throw error;
  }
}
