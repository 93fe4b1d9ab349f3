import type { Request, RequestHandler, Response } from 'express';
import { pinoHttp } from 'pino-http';
import type { Logger } from '@esd/service/log';

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
export function accessLog(log: Logger): RequestHandler {
  const message = (_request: Request, response: Response): string =>
    response.writableFinished ? 'request' : 'request cut off';
  const line = ({ method, originalUrl }: Request, { statusCode }: Response, { ms }: { ms?: number }) => {
    return { method, url: loggedUrl(originalUrl), status: statusCode, ms };
  };
  return pinoHttp<Request, Response>({
    logger: log,
    genReqId: (request) => request.requestId,
    quietReqLogger: true,
    quietResLogger: true,
    customAttributeKeys: { reqId: 'requestId', responseTime: 'ms' },
    customLogLevel: (_request, response) => (response.statusCode >= 500 ? 'warn' : 'info'),
    customSuccessMessage: message,
    customErrorMessage: message,
    customSuccessObject: line,
    customErrorObject: (request, response, _error, value: { ms?: number }) => line(request, response, value),
  });
}
