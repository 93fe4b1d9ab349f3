import type { RequestHandler } from 'express';
import type { Logger } from '@esd/service/health/log';

const SECRET_PARAMETER = /token|password|secret/i;

/** The URL of a request as it may be logged: values of parameters that are secrets are left out. */
export function loggedUrl(url: string): string {
  const start = url.indexOf('?');
  if (start < 0) return url;
  const pairs = url.slice(start + 1).split('&');
  return `${url.slice(0, start)}?${pairs.map(loggedPair).join('&')}`;
}

function loggedPair(pair: string): string {
  const [name = ''] = pair.split('=', 1);
  let decoded;
  try {
    decoded = decodeURIComponent(name);
  } catch {
    return '[malformed]';
  }
  return SECRET_PARAMETER.test(decoded) ? `${name}=[secret]` : pair;
}

/** One line a request: method, URL, status, milliseconds, request id; no header and no body is ever written. */
export function logRequests(log: Logger): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    response.once('close', () => {
      const { method, originalUrl, requestId } = request;
      const status = response.statusCode;
      const ms = Math.round((performance.now() - started) * 100) / 100;
      const line = { requestId, method, url: loggedUrl(originalUrl), status, ms };
      log[status >= 500 ? 'warn' : 'info'](line, response.writableFinished ? 'request' : 'request cut off');
    });
    next();
  };
}
