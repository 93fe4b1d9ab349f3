import { ERROR_CODES, type ErrorCode } from '@esd/api/error-codes';
import { boundedDetails, type ErrorDetails, type ServiceError } from '../errors.ts';

export type { ErrorDetails, ErrorItem } from '../errors.ts';

export interface ErrorBody extends ErrorDetails {
  success: false;
  message: string;
  code: ErrorCode;
  requestId: string;
}

export interface ErrorResponse {
  status: number;
  headers: Record<string, string>;
  body: ErrorBody;
}

const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = { UNAVAILABLE: 1, RATE_LIMITED: 60 };
const RESENT_CREDENTIALS = new Set<ErrorCode>(['TOKEN_INVALID', 'TOKEN_REVOKED', 'TOKEN_EXPIRED']);

/** Maximum characters of a message; each takes up to six bytes. */
const MAX_MESSAGE = 10_000;

/**
 * Returns the HTTP response to an error: status, headers and body. `Retry-After` (seconds) is set with 503 and 429,
 * `WWW-Authenticate` (RFC 9110 §11.6.1, RFC 6750 §3) with 401. Errors are never cached. The body has at most 1,000
 * problems and 1 MB.
 */
export function errorResponse(error: ServiceError, requestId: string): ErrorResponse {
  const status = ERROR_CODES[error.code].http;
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' };
  const retryAfter = error.retryAfterSeconds ?? RETRY_AFTER_SECONDS[error.code];
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter);
  if (status === 401) {
    headers['WWW-Authenticate'] = RESENT_CREDENTIALS.has(error.code) ? 'Bearer error="invalid_token"' : 'Bearer';
  }
  const message = error.message.length > MAX_MESSAGE ? `${error.message.slice(0, MAX_MESSAGE)}…` : error.message;
  const body = {
    success: false,
    message,
    code: error.code,
    requestId,
    ...boundedDetails(error.details),
  } as const;
  return { status, headers, body };
}
