import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Request, Response } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { stateSeenHeader } from '@esd/dataset-client/dataset-state';
import { isTransient, ServiceError, unavailable } from '@esd/service/errors';
import { TRACEPARENT } from '@esd/service/health/traces';
import { endHttpSpan, startHttpCall } from '@esd/service/http/http-span';
import { httpTargetOf } from '@esd/service/auth/call-target';
import { METADATA } from '@esd/service/rpc/rpc-metadata';
import type { ServiceAssertions } from '@esd/service/auth/service-assertion';
import type { Tls } from '@esd/service/auth/tls';
import { hasBody } from '../http/has-body.ts';
import type { Call } from '../http/call.ts';

export interface InnerRequest {
  path: string;
  /** The request message as a header value (see `streamRequestHeader`). */
  message?: string;
  /** Milliseconds until the response must begin; by default the remaining time of the request. */
  answerMs?: number | undefined;
  /** Called with the size of each chunk of the response body. */
  onBytes?: (bytes: number) => void;
}

/** Proxies a request to an internal HTTP endpoint. Throws ServiceError as long as no response has been sent. */
export type ByteProxy = (inner: InnerRequest, request: Request, response: Response, call: Call) => Promise<void>;

interface Attempt {
  target: string;
  path: string;
  /** When the replica must have begun to respond, in milliseconds since 1970. */
  deadline: number;
  /** Whether the connection of the caller stays open, as its request specifies. */
  keepAlive: boolean;
  onBytes: InnerRequest['onBytes'];
  fail: (error: unknown) => void;
}

// Longer than the timeouts of the services, so that they report a silent dependency themselves.
const IDLE_MS = 40_000;
const CONNECTIONS = 256;
const LISTENERS_PER_ATTEMPT = 4;
// One address may represent several replicas, and a pooled connection may have ended with its replica.
const MIN_ATTEMPTS = 2;

// The allowed headers: no credentials, no internal headers forged by the caller, no hop-by-hop headers.
const FORWARDED_HEADERS = [
  ...['accept', 'if-match', 'if-none-match', 'if-modified-since', 'if-range', 'range', 'user-agent'],
  ...['content-type', 'content-length', 'transfer-encoding'],
];
const REMOVED_HEADERS = ['keep-alive', 'proxy-authenticate', 'trailer', 'upgrade', METADATA.requestId];

/**
 * Creates the proxy to the replicas of an internal HTTP endpoint (base URLs, https:// with `tls`), which take turns.
 * A replica that is unreachable or does not begin to respond in its share of the time is skipped; a single replica is
 * tried twice. Throws UNAVAILABLE if none is left. A replica that is silent for 40 s or disconnects aborts the connection
 * of the caller; a caller that disconnects aborts the request. A request with a body goes to one replica only, which has
 * 40 s to respond once it has the whole body.
 */
export function byteProxy(
  replicas: readonly string[],
  { serviceAssertions, tls }: { serviceAssertions: ServiceAssertions; tls: Tls | undefined },
): ByteProxy {
  const attempts = new WeakMap<object, Attempt>();
  const attemptOf = (request: object): Attempt => {
    const attempt = attempts.get(request);
    if (!attempt) throw new Error('the request has no attempt');
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
        // The upload time of a body does not count against the deadline.
        if (hasBody(request)) return;
        const timeout = setTimeout(
          () => {
            inner.destroy(new ServiceError('UNAVAILABLE', 'An internal HTTP endpoint did not answer in time.'));
          },
          attemptOf(request).deadline - Date.now(),
        );
        for (const event of ['response', 'close']) {
          inner.once(event, () => {
            clearTimeout(timeout);
          });
        }
      },
      proxyRes: (answer, request) => {
        for (const name of REMOVED_HEADERS) Reflect.deleteProperty(answer.headers, name);
        const { keepAlive, onBytes } = attemptOf(request);
        answer.headers.connection = keepAlive ? 'keep-alive' : 'close';
        if (onBytes) answer.on('data', (chunk: Buffer) => onBytes(chunk.length));
      },
    },
  });
  const maxAttempts = Math.max(replicas.length, MIN_ATTEMPTS);
  let next = 0;
  return async ({ path, message, answerMs, onBytes }, request, response, call) => {
    const isUpload = hasBody(request);
    if (isUpload && (request.method === 'GET' || request.method === 'HEAD')) {
      throw new ServiceError('INVALID_REQUEST', `${request.method} ${request.path} must not have a body.`);
    }
    if (call.signal.aborted) return;
    const until = answerMs === undefined ? call.deadline : Date.now() + answerMs;
    request.headers = innerHeaders(request.headers, path, message, call, serviceAssertions);
    // Each attempt adds listeners to the response.
    response.setMaxListeners(response.getMaxListeners() + LISTENERS_PER_ATTEMPT * maxAttempts);
    const closed = once(response, 'close').then(() => undefined);
    const first = next++;
    let failure: unknown;
    // A body that is partly read cannot be sent again.
    const attemptsLeft = isUpload ? 1 : maxAttempts;
    for (let skipped = 0; skipped < attemptsLeft; skipped++) {
      const target = replicas[(first + skipped) % replicas.length] ?? '';
      // A silent replica leaves time for the next one.
      const span = startHttpCall(request.method, target);
      if (span.traceparent !== undefined) request.headers[TRACEPARENT] = span.traceparent;
      const deadline = Date.now() + (until - Date.now()) / (attemptsLeft - skipped);
      const failed = new Promise<unknown>((resolve) => {
        const keepAlive = response.shouldKeepAlive;
        attempts.set(request, { target, path, deadline, keepAlive, onBytes, fail: resolve });
        pass(request, response, resolve).catch(resolve);
      });
      failure = await Promise.race([failed, closed]);
      endHttpSpan(span, response.headersSent ? response.statusCode : undefined, failure);
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
  serviceAssertions: ServiceAssertions,
): IncomingHttpHeaders {
  const inner: IncomingHttpHeaders = {};
  for (const name of FORWARDED_HEADERS) {
    if (headers[name] !== undefined) inner[name] = headers[name];
  }
  inner[METADATA.requestId] = call.requestId;
  if (call.clientIp !== undefined) inner[METADATA.clientIp] = call.clientIp;
  if (message !== undefined) inner[METADATA.streamRequest] = message;
  const target = httpTargetOf(path);
  Object.assign(inner, serviceAssertions(target));
  const assertion = call.assertions?.get(target);
  if (assertion !== undefined) inner[METADATA.assertion] = assertion;
  if (call.stateSeen) Object.assign(inner, stateSeenHeader(call.stateSeen));
  return inner;
}
