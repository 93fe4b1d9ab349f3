import { status } from '@grpc/grpc-js';

/**
 * Every error code of the service with the HTTP status and the gRPC status it travels under.
 * The codes are part of the public interface; the statuses follow from it.
 */
export const ERROR_CODES = {
  INVALID_REQUEST: { http: 400, grpc: status.INVALID_ARGUMENT },
  INVALID_PARAMETER: { http: 400, grpc: status.INVALID_ARGUMENT },
  INVALID_FILTER: { http: 400, grpc: status.INVALID_ARGUMENT },
  VALIDATION_FAILED: { http: 400, grpc: status.INVALID_ARGUMENT },
  MISSING_FIELDS: { http: 400, grpc: status.INVALID_ARGUMENT },
  AUTH_REQUIRED: { http: 401, grpc: status.UNAUTHENTICATED },
  TOKEN_INVALID: { http: 401, grpc: status.UNAUTHENTICATED },
  TOKEN_REVOKED: { http: 401, grpc: status.UNAUTHENTICATED },
  TOKEN_EXPIRED: { http: 401, grpc: status.UNAUTHENTICATED },
  BAD_CREDENTIALS: { http: 401, grpc: status.UNAUTHENTICATED },
  OTP_REQUIRED: { http: 401, grpc: status.UNAUTHENTICATED },
  SESSION_REQUIRED: { http: 403, grpc: status.PERMISSION_DENIED },
  TWO_FACTOR_REQUIRED: { http: 403, grpc: status.PERMISSION_DENIED },
  FORBIDDEN: { http: 403, grpc: status.PERMISSION_DENIED },
  ADMIN_EXISTS: { http: 403, grpc: status.PERMISSION_DENIED },
  ORIGIN_NOT_ALLOWED: { http: 403, grpc: status.PERMISSION_DENIED },
  HTTPS_REQUIRED: { http: 403, grpc: status.PERMISSION_DENIED },
  EMAIL_NOT_VERIFIED: { http: 403, grpc: status.PERMISSION_DENIED },
  ROUTE_NOT_FOUND: { http: 404, grpc: status.NOT_FOUND },
  RECORD_NOT_FOUND: { http: 404, grpc: status.NOT_FOUND },
  VERSION_NOT_FOUND: { http: 404, grpc: status.NOT_FOUND },
  QUERY_NOT_FOUND: { http: 404, grpc: status.NOT_FOUND },
  SNAPSHOT_NOT_FOUND: { http: 404, grpc: status.NOT_FOUND },
  SUBMISSION_NOT_FOUND: { http: 404, grpc: status.NOT_FOUND },
  ACCOUNT_NOT_FOUND: { http: 404, grpc: status.NOT_FOUND },
  TOKEN_NOT_FOUND: { http: 404, grpc: status.NOT_FOUND },
  SESSION_NOT_FOUND: { http: 404, grpc: status.NOT_FOUND },
  FEEDBACK_NOT_FOUND: { http: 404, grpc: status.NOT_FOUND },
  ENTRY_NOT_FOUND: { http: 404, grpc: status.NOT_FOUND },
  IMAGE_NOT_FOUND: { http: 404, grpc: status.NOT_FOUND },
  METHOD_NOT_ALLOWED: { http: 405, grpc: status.UNIMPLEMENTED },
  RECORD_WITHDRAWN: { http: 410, grpc: status.NOT_FOUND },
  CONFLICT: { http: 409, grpc: status.ABORTED },
  PRECONDITION_FAILED: { http: 412, grpc: status.FAILED_PRECONDITION },
  PAYLOAD_TOO_LARGE: { http: 413, grpc: status.OUT_OF_RANGE },
  UNSUPPORTED_MEDIA_TYPE: { http: 415, grpc: status.INVALID_ARGUMENT },
  RANGE_NOT_SATISFIABLE: { http: 416, grpc: status.OUT_OF_RANGE },
  RATE_LIMITED: { http: 429, grpc: status.RESOURCE_EXHAUSTED },
  INTERNAL: { http: 500, grpc: status.INTERNAL },
  NOT_IMPLEMENTED: { http: 501, grpc: status.UNIMPLEMENTED },
  UNAVAILABLE: { http: 503, grpc: status.UNAVAILABLE },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

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
  /** When (ISO 8601) and why a record was withdrawn. */
  withdrawn?: { at: string; reason: string };
}

/**
 * The one error that handlers throw on purpose. Code and message reach the caller, over gRPC and HTTP alike; `details`
 * reach the caller over HTTP (a gRPC answer that refuses with a list has a message for it, since trailers hold little);
 * `cause` goes to the log of the process that threw it and no further.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** When the same call may succeed, where that is known. */
  readonly retryAfterSeconds: number | undefined;
  readonly details: ErrorDetails;

  constructor(
    code: ErrorCode,
    message: string,
    cause?: unknown,
    retryAfterSeconds?: number,
    details: ErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ServiceError';
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
    this.details = details;
  }

  /** A refusal that says more than its message. */
  static withDetails(code: ErrorCode, message: string, details: ErrorDetails): ServiceError {
    return new ServiceError(code, message, undefined, undefined, details);
  }
}

/** True for a text that is one of the codes of this service. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CODES, text);
}

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
// Appendix A of the PostgreSQL manual: connection trouble, shutdown, resources, time limits, lost races that may be tried again.
const POSTGRES_TRANSIENT = /^(08...|53...|57P0[1-5]|57014|55P03|40001|40P01)$/;
const DRIVER_TRANSIENT =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * What a caller may see of anything thrown: a ServiceError as it is, trouble with a store or the network as
 * UNAVAILABLE, everything else as INTERNAL. The original stays as `cause`.
 */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  return isTransient(thrown) ? unavailable(thrown) : internalError(thrown);
}

/** The error for a part of the service that does not answer, or not in time. */
export function unavailable(cause: unknown): ServiceError {
  return new ServiceError('UNAVAILABLE', 'A part of the service is unavailable; try again in a few seconds.', cause);
}

/** The error for a fault of the service itself. */
export function internalError(cause: unknown): ServiceError {
  const message = 'The request failed because of an error in the service; report its `requestId` if it fails again.';
  return new ServiceError('INTERNAL', message, cause);
}

/** True when the same call may succeed later: the store or the network was away, busy or too slow. */
export function isTransient(thrown: unknown): boolean {
  // Not instanceof: an error of the runtime's own is of another realm inside a test environment.
  if (!Error.isError(thrown)) return false;
  if ('errors' in thrown && Array.isArray(thrown.errors)) {
    return thrown.errors.length > 0 && thrown.errors.every(isTransient);
  }
  if (thrown instanceof ServiceError) return thrown.code === 'UNAVAILABLE';
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  return NETWORK_CODES.has(code) || POSTGRES_TRANSIENT.test(code) || DRIVER_TRANSIENT.test(thrown.message);
}
