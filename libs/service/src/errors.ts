import type { ErrorDetails } from '@esd/api/error-body';
import type { ErrorCode } from '@esd/api/error-codes';

export type { ErrorDetails, ErrorItem } from '@esd/api/error-body';

/**
 * The error that handlers throw for expected failures. The client receives code, message and `details` over gRPC and HTTP.
 * Only the process that threw it logs the `cause`.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;
  readonly details: ErrorDetails;

  constructor(
    code: ErrorCode,
    message: string,
    {
      cause,
      retryAfterSeconds,
      details = {},
    }: { cause?: unknown; retryAfterSeconds?: number | undefined; details?: ErrorDetails } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ServiceError';
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
    this.details = details;
  }
}

const MAX_ERRORS = 1_000;
/** Maximum bytes of the lists of a response. With the message, the body stays below 1 MB. */
const MAX_LIST_BYTES = 900_000;

/** Truncates the lists to 1,000 items and a number of bytes as JSON; `errorCount` remains the number of all problems. */
export function boundedDetails(
  { errors, errorCount = errors?.length, missingFields, ...rest }: ErrorDetails,
  listBytes = MAX_LIST_BYTES,
): ErrorDetails {
  const ofErrors = firstWithin(errors ?? [], listBytes);
  return {
    ...rest,
    ...(errors && { errors: ofErrors.first }),
    ...(errorCount !== undefined && { errorCount }),
    ...(missingFields && { missingFields: firstWithin(missingFields, ofErrors.unusedBytes).first }),
  };
}

function firstWithin<T>(items: readonly T[], bytes: number): { first: T[]; unusedBytes: number } {
  let unusedBytes = bytes;
  const first = items.slice(0, MAX_ERRORS);
  for (const [index, item] of first.entries()) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (size > unusedBytes) return { first: first.slice(0, index), unusedBytes };
    unusedBytes -= size;
  }
  return { first, unusedBytes };
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
  return new ServiceError('UNAVAILABLE', 'A part of the service is unavailable; try again in a few seconds.', {
    cause,
  });
}

export function internalError(cause: unknown): ServiceError {
  const message = 'The request failed because of an error in the service; report its `requestId` if it fails again.';
  return new ServiceError('INTERNAL', message, { cause });
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
