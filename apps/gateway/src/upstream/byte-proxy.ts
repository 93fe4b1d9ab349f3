import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Request, Response } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { stateSeenHeader } from '@esd/dataset-client/dataset-state';
import { isTransient, ServiceError, unavailable } from '@esd/service/errors';
import { httpTargetOf } from '@esd/service/auth/call-target';
import { METADATA } from '@esd/service/rpc/rpc-metadata';
import type { ServiceAssertions } from '@esd/service/auth/service-assertion';
import type { Tls } from '@esd/service/auth/tls';
import { hasBody } from '../http/limits/has-body.ts';
import type { Call } from '../http/call.ts';

/** What an internal HTTP endpoint is asked for. */
export interface InnerRequest {
  /** Path and query. */
  path: string;
  /** The message that says what is asked for, as a header has it (see `streamRequestHeader`). */
  message?: string;
  /** Until the answer has to begin, in milliseconds; the rest of the request's time unless given. */
  answerMs?: number | undefined;
  /** Called with the size of each part of the answer's body as it comes. */
  onBytes?: (bytes: number) => void;
}

/** Passes a request on to an internal HTTP endpoint and its answer back; throws ServiceError as long as nothing has been sent. */
export type ByteProxy = (inner: InnerRequest, request: Request, response: Response, call: Call) => Promise<void>;

interface Attempt {
  target: string;
  path: string;
  /** When the copy must have begun to answer, in milliseconds since 1970. */
  deadline: number;
  /** Whether the caller's connection is to be kept, as its own request says. */
  keepAlive: boolean;
  onBytes: InnerRequest['onBytes'];
  fail: (error: unknown) => void;
}

// Longer than the services wait for a silent part of theirs, so that they report it themselves.
const IDLE_MS = 40_000;
const CONNECTIONS = 256;
const LISTENERS_AN_ATTEMPT = 4;
// One address may stand for several replicas, and a kept connection may have ended with its replica.
const LEAST_ATTEMPTS = 2;

// All that may reach a service; above all no credential, no inner header of the caller's making and nothing hop by hop.
const PASSED_ON = [
  ...['accept', 'if-match', 'if-none-match', 'if-modified-since', 'if-range', 'range', 'user-agent'],
  ...['content-type', 'content-length', 'transfer-encoding'],
];
const NOT_PASSED_BACK = ['keep-alive', 'proxy-authenticate', 'trailer', 'upgrade', METADATA.requestId];

/**
 * Makes the proxy to the replicas of an internal HTTP endpoint (base URLs, https:// with `tls`), which are used in turn. A copy that cannot be reached, or
 * does not begin to answer in its part of the time is skipped, one that is alone is tried twice; UNAVAILABLE when there is no other. A copy
 * that falls silent for 40 s or breaks off cuts the caller's connection, and a caller that goes ends the request to the
 * copy. A request with a body goes to one copy alone, which has the 40 s to answer once it has the whole body.
 */
export function byteProxy(
  replicas: readonly string[],
  { proof, tls }: { proof: ServiceAssertions; tls: Tls | undefined },
): ByteProxy {
  const attempts = new WeakMap<object, Attempt>();
  const attemptOf = (request: object): Attempt => {
    const attempt = attempts.get(request);
    if (!attempt) throw new Error('a request without an attempt');
    return attempt;
  };
  const connections = { keepAlive: true, maxSockets: CONNECTIONS, timeout: IDLE_MS };
  const pass = createProxyMiddleware<Request, Response>({
    router: (request) => attemptOf(request).target,
    pathRewrite: (_path, request) => attemptOf(request).path,
    changeOrigin: true,
    agent: tls ? new TlsAgent({ ...connections, ca: tls.ca }) : new Agent(connections),
    proxyTimeout: IDLE_MS,
    on: {
      error: (error, request) => {
        attemptOf(request).fail(error);
      },
      proxyReq: (inner, request) => {
        // The time that the caller takes to send a body is not taken from the work.
        if (hasBody(request)) return;
        const late = setTimeout(
          () => {
            inner.destroy(new ServiceError('UNAVAILABLE', 'An internal HTTP endpoint did not answer in time.'));
          },
          attemptOf(request).deadline - Date.now(),
        );
        for (const event of ['response', 'close']) {
          inner.once(event, () => {
            clearTimeout(late);
          });
        }
      },
      proxyRes: (answer, request) => {
        for (const name of NOT_PASSED_BACK) Reflect.deleteProperty(answer.headers, name);
        const { keepAlive, onBytes } = attemptOf(request);
        answer.headers.connection = keepAlive ? 'keep-alive' : 'close';
        if (onBytes) answer.on('data', (chunk: Buffer) => onBytes(chunk.length));
      },
    },
  });
  const most = Math.max(replicas.length, LEAST_ATTEMPTS);
  let next = 0;
  return async ({ path, message, answerMs, onBytes }, request, response, call) => {
    const isUpload = hasBody(request);
    if (isUpload && (request.method === 'GET' || request.method === 'HEAD')) {
      throw new ServiceError('INVALID_REQUEST', `${request.method} ${request.path} must not have a body.`);
    }
    if (call.signal.aborted) return;
    const until = answerMs === undefined ? call.deadline : Date.now() + answerMs;
    // The proxy copies what it finds here.
    request.headers = innerHeaders(request.headers, path, message, call, proof);
    // Each attempt of the proxy listens to the answer.
    response.setMaxListeners(response.getMaxListeners() + LISTENERS_AN_ATTEMPT * most);
    const closed = once(response, 'close').then(() => undefined);
    const first = next++;
    let failure: unknown;
    // What has been read of a body cannot be sent again.
    const attemptsLeft = isUpload ? 1 : most;
    for (let skipped = 0; skipped < attemptsLeft; skipped++) {
      const target = replicas[(first + skipped) % replicas.length] ?? '';
      // A copy that is silent leaves time for the next.
      const deadline = Date.now() + (until - Date.now()) / (attemptsLeft - skipped);
      const failed = new Promise<unknown>((resolve) => {
        const keepAlive = response.shouldKeepAlive;
        attempts.set(request, { target, path, deadline, keepAlive, onBytes, fail: resolve });
        pass(request, response, resolve).catch(resolve);
      });
      failure = await Promise.race([failed, closed]);
      if (failure === undefined || response.destroyed) return;
      if (response.headersSent || !isTransient(failure) || Date.now() > until) break;
    }
    throw unavailable(failure);
  };
}

function innerHeaders(
  headers: IncomingHttpHeaders,
  path: string,
  message: string | undefined,
  call: Call,
  proof: ServiceAssertions,
): IncomingHttpHeaders {
  const inner: IncomingHttpHeaders = {};
  for (const name of PASSED_ON) {
    if (headers[name] !== undefined) inner[name] = headers[name];
  }
  inner[METADATA.requestId] = call.requestId;
  if (call.clientIp !== undefined) inner[METADATA.clientIp] = call.clientIp;
  if (message !== undefined) inner[METADATA.streamRequest] = message;
  const target = httpTargetOf(path);
  Object.assign(inner, proof(target));
  const assertion = call.assertions?.get(target);
  if (assertion !== undefined) inner[METADATA.assertion] = assertion;
  if (call.stateSeen) Object.assign(inner, stateSeenHeader(call.stateSeen));
  return inner;
}
