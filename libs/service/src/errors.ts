import type { ErrorCode } from '@esd/api/error-codes';

export interface ErrorItem {
  path: string;
  code: string;
  message: string;
  /** The id, status and newest revision of the record, if its state is the problem. */
  recordId?: number;
  status?: string;
  revision?: number;
}

export interface ErrorDetails {
  errors?: ErrorItem[];
  /** The number of all problems; `errors` may be truncated. */
  errorCount?: number;
  missingFields?: string[];
  /** `at` is ISO 8601; `versions` are the releases that contain the record. */
  withdrawn?: { at: string; reason: string; versions: readonly string[] };
}

/**
 * The error that handlers throw for expected failures. The client receives code and message over gRPC and HTTP, but
 * `details` over HTTP only, because gRPC trailers are small. Only the process that threw it logs the `cause`.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
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

  static withDetails(code: ErrorCode, message: string, details: ErrorDetails): ServiceError {
    return new ServiceError(code, message, undefined, undefined, details);
  }
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
// Appendix A of the PostgreSQL manual: connection errors, shutdown, resources, timeouts, serialization failures.
const POSTGRES_TRANSIENT = /^(08...|53...|57P0[1-5]|57014|55P03|40001|40P01)$/;
const DRIVER_TRANSIENT =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * Converts anything thrown for the caller: a ServiceError is unchanged, transient errors become UNAVAILABLE, all others
 * INTERNAL. The original is the `cause`.
 */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  return isTransient(thrown) ? unavailable(thrown) : internalError(thrown);
}

export function unavailable(cause: unknown): ServiceError {
  return new ServiceError('UNAVAILABLE', 'A part of the service is unavailable; try again in a few seconds.', cause);
}

export function internalError(cause: unknown): ServiceError {
  const message = 'The request failed because of an error in the service; report its `requestId` if it fails again.';
  return new ServiceError('INTERNAL', message, cause);
}

/** Returns whether the same call may succeed later: a store or the network was unavailable, busy or too slow. */
export function isTransient(thrown: unknown): boolean {
  // Not instanceof: in a test environment, errors of the runtime belong to another realm.
  if (!Error.isError(thrown)) return false;
  if ('errors' in thrown && Array.isArray(thrown.errors)) {
    return thrown.errors.length > 0 && thrown.errors.every(isTransient);
  }
  if (thrown instanceof ServiceError) return thrown.code === 'UNAVAILABLE';
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  return NETWORK_CODES.has(code) || POSTGRES_TRANSIENT.test(code) || DRIVER_TRANSIENT.test(thrown.message);
}
