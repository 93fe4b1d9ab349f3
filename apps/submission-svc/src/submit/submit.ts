import { createHash, randomUUID } from 'node:crypto';
import { lockUntilCommit } from '@esd/background/advisory-lock';
import { hasValues } from '@esd/record/validate/missing-fields';
import type { RecordWarning } from '@esd/record/validate/problems';
import type { RecordStatus } from '@esd/record/status/record-status';
import type { CheckedSubmission } from '@esd/record/validate/validate-submission';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import type { Kysely, Transaction } from 'kysely';
import { addWarnings, type PreparedRecord, type WarningContext } from '../prepare/add-warnings.ts';
import { completeImages } from '../prepare/complete-images.ts';
import { imagesRefused } from '../prepare/image-problems.ts';
import { parseSubmission, validateSubmission } from '../prepare/read-submission.ts';
import type { RecordContext, RecordRequest } from '../records/context.ts';
import { delayAccountDeletion } from '../records/deleted-account.store.ts';
import { storeWithImages, type WantedImages } from '../records/image-claims.ts';
import { imagesOf } from '../records/record-images.ts';
import { nextStatuses } from '../records/transition.ts';
import type { Tables } from '../tables.ts';
import { admitAnonymous, type AnonymousLimits, refuseFullNetwork, refuseTooManyRecords } from './anonymous.ts';
import { findEarlierSubmission, type IdempotencyKey, idempotencyKey, lockKey, storeKey } from './idempotency.store.ts';
import { refuseEmptyRecords } from './refuse-empty-records.ts';
import { findFirstRevisions, insertSubmission } from './submission.store.ts';

export interface RecordCheck {
  status: RecordStatus;
  missingFields: string[];
  warnings: RecordWarning[];
}

export interface StoredRecord extends RecordCheck {
  recordId: number;
}

export interface StoredSubmission {
  kind: 'stored';
  submissionId: number;
  records: StoredRecord[];
  /** Whether an earlier request with the same idempotency key stored it. */
  replayed: boolean;
}

export type SubmitResult = StoredSubmission | { kind: 'checked'; records: RecordCheck[] };

export type SubmitContext = RecordContext & WarningContext & { anonymous: AnonymousLimits };

export interface SubmissionRequest extends RecordRequest {
  json: Uint8Array;
  caller: Caller | undefined;
  /** Scope of the idempotency keys of anonymous submissions. */
  clientIp: string | undefined;
  idempotencyKey: string | undefined;
  validateOnly: boolean;
}

/**
 * Checks a submission and stores it, all or nothing, once per idempotency key. With a personal access token, mandatory
 * fields may be missing; the status is then NEEDS_UPDATE. Throws INVALID_REQUEST for a body that is not JSON,
 * VALIDATION_FAILED, and MISSING_FIELDS. Throws UNAVAILABLE while the reference lists, the database, or (for images)
 * media-svc is down. Throws RATE_LIMITED for too many waiting requests of the client or pending records of its network.
 * Throws PAYLOAD_TOO_LARGE for too many records without an account, and CONFLICT for a key that was used with another body.
 */
export function submit(context: SubmitContext, request: SubmissionRequest): Promise<SubmitResult> {
  return context.queues.admit(request, request.json.length, () => submitOnce(context, request));
}

async function submitOnce(context: SubmitContext, request: SubmissionRequest): Promise<SubmitResult> {
  const key = keyOf(request);
  if (!key) return checkAndStore(context, request, undefined);
  const earlier = await replay(context.database, key);
  if (earlier) return earlier;
  try {
    return await checkAndStore(context, request, key);
  } catch (error) {
    // A concurrent request with the same key may have stored the submission and claimed its images.
    const isRefused = error instanceof ServiceError && error.code === 'VALIDATION_FAILED';
    const first = isRefused ? await replay(context.database, key) : undefined;
    if (!first) throw error;
    return first;
  }
}

async function checkAndStore(
  context: SubmitContext,
  request: SubmissionRequest,
  key: IdempotencyKey | undefined,
): Promise<SubmitResult> {
  const { caller, validateOnly } = request;
  if (!caller && !validateOnly) await refuseFullNetwork(context.database, context.anonymous, request.clientIp);

  const body = await parseSubmission(context, request.json, request);
  if (!caller) refuseTooManyRecords(body);
  const options = { userMetadata: caller ? 'optional' : 'required' } as const;
  const submission = await validateSubmission(context, body, options, request);
  const statuses = statusesOf(submission.records, caller?.credential === 'pat');
  const completed = await completeImages(context.images, submission.records, [], request);
  const known = { accountId: caller?.accountId, except: [] };
  const prepared = await addWarnings(context, completed, known, request);
  const records = prepared.map((record, index) => ({ ...record, status: statuses[index] ?? 'NEEDS_UPDATE' }));
  if (validateOnly) {
    if (caller && hasEmptyRecord(submission)) await refuseEmptyRecords(context.database, caller.accountId, records);
    const checks = records.map(({ status, missingFields, warnings }) => ({ status, missingFields, warnings }));
    return { kind: 'checked', records: checks };
  }
  return store(context, request, { submission, records, key });
}

function hasEmptyRecord({
  imageOnly,
  records,
}: {
  imageOnly: boolean;
  records: readonly Pick<PreparedRecord, 'data'>[];
}): boolean {
  return !imageOnly && records.some(({ data }) => !hasValues(data));
}

function statusesOf(records: readonly { missingFields: readonly string[] }[], lenient: boolean): RecordStatus[] {
  return nextStatuses(
    records.map(({ missingFields }) => ({ from: undefined, missingFields })),
    'submit',
    lenient,
  );
}

interface PreparedSubmission {
  submission: Omit<CheckedSubmission, 'records'>;
  records: readonly (PreparedRecord & { status: RecordStatus })[];
  key: IdempotencyKey | undefined;
}

async function store(
  context: SubmitContext,
  request: SubmissionRequest,
  prepared: PreparedSubmission,
): Promise<StoredSubmission> {
  const { records, key } = prepared;
  const wanted: WantedImages = {
    // Concurrent requests with one key need the same images.
    name: key ? reservationName(key) : `submission ${randomUUID()}`,
    images: imagesOf(records.map(({ data }) => ({ recordId: undefined, data }))),
    refusal: (refused) => imagesRefused(records, refused),
  };
  return storeWithImages(context, request, wanted, async (transaction) => {
    const stored = await storeOnce(context, request, prepared, transaction);
    const attached = records.map(({ data }, index) => ({ recordId: stored.records[index]?.recordId ?? 0, data }));
    return { stored, attached: imagesOf(attached) };
  });
}

async function storeOnce(
  { anonymous }: SubmitContext,
  { caller, clientIp, requestId }: SubmissionRequest,
  { submission, records, key }: PreparedSubmission,
  transaction: Transaction<Tables>,
): Promise<StoredSubmission> {
  if (key) {
    await lockKey(transaction, key);
    const first = await replay(transaction, key);
    if (first) return first;
  }
  if (caller) await delayAccountDeletion(transaction, caller.accountId);
  if (caller && hasEmptyRecord({ ...submission, records })) {
    // Concurrent submissions of an account count each other's records.
    await lockUntilCommit(transaction, `records without values ${caller.accountId}`);
    await refuseEmptyRecords(transaction, caller.accountId, records);
  }
  const origin = caller
    ? undefined
    : await admitAnonymous(transaction, anonymous, { clientIp, records: records.length });
  const { submissionId, recordIds } = await insertSubmission(transaction, {
    submission,
    records,
    ownerAccountId: caller?.accountId ?? null,
    credential: caller?.credential ?? 'anonymous',
    origin,
    requestId,
  });
  if (key) await storeKey(transaction, key, submissionId);
  const storedRecords = records.map(({ status, missingFields, warnings }, index) => ({
    recordId: recordIds[index] ?? 0,
    status,
    missingFields,
    warnings,
  }));
  return { kind: 'stored', submissionId, records: storedRecords, replayed: false };
}

function keyOf({ idempotencyKey: key, caller, clientIp, json, validateOnly }: SubmissionRequest) {
  if (key === undefined) return undefined;
  const scope = caller ? `account ${caller.accountId}` : `address ${clientIp ?? ''}`;
  const made = idempotencyKey(scope, key, json);
  return validateOnly ? undefined : made;
}

function reservationName({ keyHash, bodyHash }: IdempotencyKey): string {
  return `key ${createHash('sha256').update(keyHash).update(bodyHash).digest('hex')}`;
}

/** Returns the original response for the key, if there was one. */
async function replay(database: Kysely<Tables>, key: IdempotencyKey): Promise<StoredSubmission | undefined> {
  const submissionId = await findEarlierSubmission(database, key);
  if (submissionId === undefined) return undefined;
  const first = await findFirstRevisions(database, submissionId);
  const statuses = statusesOf(first, true);
  const records = first.map((record, index) => ({ ...record, status: statuses[index] ?? 'NEEDS_UPDATE' }));
  return { kind: 'stored', submissionId, records, replayed: true };
}
