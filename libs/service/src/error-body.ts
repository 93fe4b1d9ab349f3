import { ERROR_CODES, type ErrorCode, type ServiceError } from './errors.ts';

/** One of several problems of a request; `path` leads from the body to the value. */
export interface ErrorItem {
  path: string;
  code: string;
  message: string;
  /** The record meant, and its status, where the problem is the state of a record. */
  recordId?: number;
  status?: string;
}

/** What a refusal may add to code and message. */
export interface ErrorDetails {
  errors?: ErrorItem[];
  /** How many problems there are in all; `errors` may hold only the first of them. */
  errorCount?: number;
  missingFields?: string[];
}

/** The one body of every error, of every endpoint. */
export interface ErrorBody extends ErrorDetails {
  success: false;
  message: string;
  code: ErrorCode;
  requestId: string;
}

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: ErrorBody;
}

const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = { UNAVAILABLE: 1, RATE_LIMITED: 60 };
const RESENT_CREDENTIALS = new Set<ErrorCode>(['TOKEN_INVALID', 'TOKEN_REVOKED', 'TOKEN_EXPIRED']);

/**
 * How an error is answered over HTTP: status, body, and the headers that belong to it: `Retry-After` (seconds) with 503
 * and 429, `WWW-Authenticate` (RFC 9110 §11.6.1, RFC 6750 §3) with 401. Errors are never cached.
 */
export function errorAnswer(error: ServiceError, requestId: string, details: ErrorDetails = {}): ErrorAnswer {
  const status = ERROR_CODES[error.code].http;
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' };
  const retryAfter = error.retryAfterSeconds ?? RETRY_AFTER_SECONDS[error.code];
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter);
  if (status === 401) {
    headers['WWW-Authenticate'] = RESENT_CREDENTIALS.has(error.code) ? 'Bearer error="invalid_token"' : 'Bearer';
  }
  return { status, headers, body: { success: false, message: error.message, code: error.code, requestId, ...details } };
}
