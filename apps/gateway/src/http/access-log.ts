import type { Logger } from '@esd/service/health/log';
import type { Answered } from './exchange.ts';

const SECRET_PARAMETER = /token|password|secret/i;

/** Returns a URL for the log, without the values of secret parameters. */
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

/** Logs method, URL, status, milliseconds and request id of a request; never headers or bodies. */
export function logAnswer(log: Logger, { requestId, method, url, status, isComplete }: Answered, ms: number): void {
  const line = { requestId, method, url: loggedUrl(url), status, ms: Math.round(ms * 100) / 100 };
  log[status >= 500 ? 'warn' : 'info'](line, isComplete ? 'request' : 'request aborted');
}
