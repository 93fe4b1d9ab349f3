import { Metadata, status, type ServiceError as GrpcError } from '@grpc/grpc-js';
import { ErrorDetail, ErrorStatus, type Refusal } from '@esd/proto/esd/common/v1/error';
import { PeerRejected } from '../auth/call-guard.ts';
import { errorDetails, errorItem } from '@esd/api/error-body';
import { ERROR_CODES, isErrorCode } from '@esd/api/error-codes';
import { z } from 'zod';
import { boundedDetails, type ErrorDetails, internalError, ServiceError, unavailable } from '../errors.ts';

const TRAILER = 'grpc-status-details-bin';
const DETAIL_TYPE = 'type.googleapis.com/esd.common.v1.ErrorDetail';
// A trailer beyond about 100 KB breaks the connection.
const MAX_MESSAGE_LENGTH = 4_000;
/** Maximum bytes of the lists of problems in a trailer. With the names of the members, the details have at most 8 KB. */
const MAX_TRAILER_LIST_BYTES = 8_000;

export function toGrpcError(error: ServiceError): { code: status; details: string; metadata: Metadata } {
  const message = error.message.slice(0, MAX_MESSAGE_LENGTH);
  const code = status[ERROR_CODES[error.code].grpc];
  // The peer is at fault, not its caller. Without the detail, the caller does not receive this code.
  if (error instanceof PeerRejected) return { code, details: message, metadata: new Metadata() };
  const detail = ErrorDetail.encode({
    code: error.code,
    message,
    retryAfterSeconds: error.retryAfterSeconds,
    detailsJson: writeDetails(error.details, MAX_TRAILER_LIST_BYTES),
  }).finish();
  const trailer = ErrorStatus.encode({
    code,
    message,
    details: [{ typeUrl: DETAIL_TYPE, value: Buffer.from(detail) }],
  }).finish();
  const metadata = new Metadata();
  metadata.set(TRAILER, Buffer.from(trailer));
  return { code, details: message, metadata };
}

/** Restores the error that the server threw; a failure of the call itself becomes UNAVAILABLE or INTERNAL. */
export function fromGrpcError(error: GrpcError): ServiceError {
  const trailer = error.metadata.get(TRAILER)[0];
  if (trailer instanceof Buffer) {
    for (const any of ErrorStatus.decode(trailer).details) {
      if (any.typeUrl !== DETAIL_TYPE) continue;
      const detail = ErrorDetail.decode(any.value);
      if (isErrorCode(detail.code)) {
        const details = readDetails(detail.detailsJson);
        return new ServiceError(detail.code, detail.message, { retryAfterSeconds: detail.retryAfterSeconds, details });
      }
    }
  }
  switch (error.code) {
    case status.UNAVAILABLE:
    case status.DEADLINE_EXCEEDED:
    case status.CANCELLED:
    case status.RESOURCE_EXHAUSTED:
      return unavailable(error);
    default:
      return internalError(error);
  }
}

/** Returns an error with details as an outcome of the response, because its lists can be too long for the trailer. */
export async function outcomeOf<Outcome>(
  work: () => Promise<Outcome>,
): Promise<Outcome | { $case: 'refusal'; value: Refusal }> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, details } = error;
    const detailsJson = writeDetails(details);
    if (detailsJson === undefined) throw error;
    return { $case: 'refusal', value: { code, message, detailsJson } };
  }
}

/** Restores the error that a service returned as an outcome. */
export function refusalError({ code, message, detailsJson }: Refusal): Error {
  if (!isErrorCode(code)) return new Error(`the refusal has the unknown code "${code}"`);
  return new ServiceError(code, message, { details: readDetails(detailsJson) });
}

/** Only the gateway throws errors with `withdrawn`, whose lists have no limit. */
function writeDetails({ withdrawn: _, ...lists }: ErrorDetails, listBytes?: number): string | undefined {
  const json = JSON.stringify(boundedDetails(lists, listBytes));
  return json === '{}' ? undefined : json;
}

/** The details of an error of another process. A later software release may send more members. */
const sentDetails = z.object({ ...errorDetails.shape, errors: z.array(errorItem.strip()).optional() });

/** Reads the details of an error. Returns none if they have another type. */
function readDetails(json: string | undefined): ErrorDetails {
  return json === undefined ? {} : (sentDetails.safeParse(JSON.parse(json)).data ?? {});
}
