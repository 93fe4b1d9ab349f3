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
 * Sends a request to a signed URL; the answer has begun when it resolves. Nothing stays open when it throws: the error of the
 * network, the reason of the signal, or UNAVAILABLE when nothing moves within the deadlines.
 */
export async function sendSigned(
  { url, method, headers, body, signal }: SignedRequest,
  deadlines: S3Deadlines,
): Promise<IncomingMessage> {
  const ended = new AbortController();
  const stopped = signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal]);
  const open = url.startsWith('https:') ? httpsRequest : httpRequest;
  const request = open(url, { method, headers, signal: stopped });
  // Without a listener an error that comes after the answer has begun would end the process.
  request.on('error', () => undefined);
  setDeadlines(request, body ? deadlines.uploadMs : deadlines.answerMs, deadlines.idleMs);
  try {
    // Node gives the event the answer as its one argument.
    const answered = once(request, 'response', { signal: stopped }) as Promise<[IncomingMessage]>;
    const sent = body === undefined ? Promise.resolve(request.end()) : pipeline(body, request, { signal: stopped });
    // The answer may come before all is sent: a refusal.
    const [[response]] = await Promise.all([answered, Promise.race([sent, answered])]);
    response.on('error', () => undefined);
    sent.catch(() => undefined);
    return response;
  } catch (error) {
    ended.abort();
    signal?.throwIfAborted();
    throw error;
  }
}
