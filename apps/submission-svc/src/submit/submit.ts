import { createHash, randomUUID } from 'node:crypto';
import type { Warning } from '@esd/record/problems';
import type { RecordStatus } from '@esd/record/record-status';
import type { CheckedSubmission } from '@esd/record/validate-submission';
import type { Caller } from '@esd/service/assertion';
import type { Kysely } from 'kysely';
import { keepAccount } from '../account/deleted-account.store.ts';
import { completeImages } from '../images/complete-images.ts';
import { ImagesRefused, imagesOf, refusalOfImages } from '../images/refused-images.ts';
import { type StoreParts, storeWithImages } from '../images/store-with-images.ts';
import type { ReferenceCache } from '../reference/reference-cache.ts';
import type { Tables } from '../tables.ts';
import type { FeatureRangeCache } from '../warnings/feature-ranges.ts';
import { type JudgedRecord, judgeRecords } from '../warnings/judge-records.ts';
import { admitAnonymous, type AnonymousLimits, refuseFullNetwork } from './anonymous.ts';
import { findEarlierSubmission, type IdempotencyKey, idempotencyKey, lockKey, takeKey } from './idempotency.store.ts';
import { moveRecords } from './move-records.ts';
import { readSubmission, type Refused } from './read-submission.ts';
import { findFirstRevisions, insertSubmission } from './submission.store.ts';
import type { Asking } from './turns.ts';

/** What became of a record, or would become of it. */
export interface Judgement {
  status: RecordStatus;
  missingFields: string[];
  warnings: Warning[];
}

export interface RecordOutcome extends Judgement {
  recordId: number;
}

export interface StoredSubmission {
  kind: 'stored';
  submissionId: number;
  records: RecordOutcome[];
  /** It was stored by an earlier request with the same idempotency key. */
  replayed: boolean;
}

export type SubmitOutcome = StoredSubmission | { kind: 'checked'; records: Judgement[] } | Refused;

export interface SubmitParts extends StoreParts {
  references: ReferenceCache;
  ranges: FeatureRangeCache;
  anonymous: AnonymousLimits;
}

export interface SubmitRequest extends Asking {
  /** The body as it came: JSON text in UTF-8. */
  json: Uint8Array;
  caller: Caller | undefined;
  /** The address of the client; idempotency keys of anonymous submissions belong to it. */
  clientIp: string | undefined;
  idempotencyKey: string | undefined;
  /** Checks everything and stores nothing. */
  validateOnly: boolean;
  requestId: string;
  deadline: number;
}

/**
 * Checks a submission and stores it, all or nothing, once for each idempotency key. Mandatory fields may be missing only
 * where a personal access token submits; the record then waits as NEEDS_UPDATE. Throws UNAVAILABLE while the reference
 * lists, the database or, with images, media-svc cannot be reached, RATE_LIMITED while too much of the client waits or of
 * its network awaits review, PAYLOAD_TOO_LARGE for too many records without an account, and CONFLICT for a key that came
 * with another body.
 */
export function submit(parts: SubmitParts, request: SubmitRequest): Promise<SubmitOutcome> {
  return parts.turns.admit(request, request.json.length, () => submitAdmitted(parts, request));
}

async function submitAdmitted(parts: SubmitParts, request: SubmitRequest): Promise<SubmitOutcome> {
  const { database } = parts;
  const { caller, validateOnly } = request;
  const key = keyOf(request);
  const earlier = key && (await replay(database, key));
  if (earlier) return earlier;
  if (!caller && !validateOnly) await refuseFullNetwork(database, parts.anonymous, request.clientIp);

  const userMetadata = caller ? 'optional' : 'required';
  const read = await readSubmission(parts, request.json, { userMetadata }, request);
  if (read.kind !== 'read') return read;
  const { submission } = read;
  const moved = moveRecords(
    submission.records.map(({ missingFields }) => ({ from: undefined, missingFields })),
    'submit',
    caller?.credential === 'pat',
  );
  if (moved.kind === 'missing') return moved;
  const completed = await completeImages(parts.images, submission.records, [], request);
  // Those of an earlier request with the key have been its own since it was stored.
  if (completed.kind === 'invalid') return (key && (await replay(database, key))) ?? completed;
  const references = await parts.references.current(request);
  const known = { accountId: caller?.accountId, except: [] };
  const judged = await judgeRecords({ ...parts, references }, completed.records, known, request);
  const records = judged.map((record, index) => ({ ...record, status: moved.statuses[index] ?? 'NEEDS_UPDATE' }));
  if (validateOnly) {
    const judgements = records.map(({ status, missingFields, warnings }) => ({ status, missingFields, warnings }));
    return { kind: 'checked', records: judgements };
  }
  return store(parts, request, { submission, records, key });
}

interface Checked {
  submission: Omit<CheckedSubmission, 'records'>;
  records: readonly (JudgedRecord & { status: RecordStatus })[];
  key: IdempotencyKey | undefined;
}

async function store(parts: SubmitParts, request: SubmitRequest, checked: Checked): Promise<SubmitOutcome> {
  const { caller, requestId } = request;
  const { submission, records, key } = checked;
  const reservation = {
    // Requests with one key at the same time want the same images.
    name: key ? reservationName(key) : `submission ${randomUUID()}`,
    images: imagesOf(records.map(({ data }) => ({ recordId: undefined, data }))),
  };
  const attachedTo = (outcome: StoredSubmission) =>
    imagesOf(records.map(({ data }, index) => ({ recordId: outcome.records[index]?.recordId ?? 0, data })));
  return storeWithImages(parts, request, reservation, async (transaction) => {
    if (key) {
      await lockKey(transaction, key);
      const first = await replay(transaction, key);
      if (first) return { stored: first, attached: attachedTo(first) };
    }
    if (caller) await keepAccount(transaction, caller.accountId);
    const from = { clientIp: request.clientIp, records: records.length };
    const origin = caller ? undefined : await admitAnonymous(transaction, parts.anonymous, from);
    const { submissionId, recordIds } = await insertSubmission(transaction, {
      submission,
      records,
      ownerAccountId: caller?.accountId ?? null,
      credential: caller?.credential ?? 'anonymous',
      origin,
      requestId,
    });
    if (key) await takeKey(transaction, key, submissionId);
    const outcomes = records.map(({ status, missingFields, warnings }, index) => ({
      recordId: recordIds[index] ?? 0,
      status,
      missingFields,
      warnings,
    }));
    const stored: StoredSubmission = { kind: 'stored', submissionId, records: outcomes, replayed: false };
    return { stored, attached: attachedTo(stored) };
  }).catch(async (error: unknown) => {
    // They may have been claimed by an earlier request with the key, since it was stored.
    const first = error instanceof ImagesRefused && key ? await replay(parts.database, key) : undefined;
    return first ?? refusalOfImages(error, records);
  });
}

function keyOf({ idempotencyKey: key, caller, clientIp, json, validateOnly }: SubmitRequest) {
  if (key === undefined) return undefined;
  const scope = caller ? `account ${caller.accountId}` : `address ${clientIp ?? ''}`;
  const made = idempotencyKey(scope, key, json);
  return validateOnly ? undefined : made;
}

function reservationName({ keyHash, bodyHash }: IdempotencyKey): string {
  return `key ${createHash('sha256').update(keyHash).update(bodyHash).digest('hex')}`;
}

async function replay(database: Kysely<Tables>, key: IdempotencyKey): Promise<StoredSubmission | undefined> {
  const submissionId = await findEarlierSubmission(database, key);
  if (submissionId === undefined) return undefined;
  const first = await findFirstRevisions(database, submissionId);
  const moved = moveRecords(
    first.map(({ missingFields }) => ({ from: undefined, missingFields })),
    'submit',
    true,
  );
  if (moved.kind === 'missing') throw new Error('a stored submission is never refused');
  const records = first.map((record, index) => ({ ...record, status: moved.statuses[index] ?? 'NEEDS_UPDATE' }));
  return { kind: 'stored', submissionId, records, replayed: true };
}
