import type { Warning } from '@esd/record/problems';
import type { RecordStatus } from '@esd/record/record-status';
import type { Caller } from '@esd/service/assertion';
import { ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/log';
import type { CallOptions } from '@esd/service/rpc-client';
import type { Kysely } from 'kysely';
import { refuseDeleted } from '../account/deleted-account.store.ts';
import type { ReferenceCache } from '../reference/reference-cache.ts';
import type { Tables } from '../tables.ts';
import type { FeatureRangeCache } from '../warnings/feature-ranges.ts';
import { judgeRecords } from '../warnings/judge-records.ts';
import { admitAnonymous, type AnonymousLimits, refuseFullNetwork, storeInTurn } from './anonymous.ts';
import { findEarlierSubmission, type IdempotencyKey, idempotencyKey, takeKey } from './idempotency.store.ts';
import { moveRecords } from './move-records.ts';
import { claimImages, ImagesRefused, imagesOf, refusalOfClaim } from '../images/claim-images.ts';
import { completeImages } from '../images/complete-images.ts';
import type { ImageKeeper, ImageOfRecord } from '../images/image-keeper.ts';
import { readSubmission, type Refused } from './read-submission.ts';
import { findFirstRevisions, insertSubmission, lockSubmissions } from './submission.store.ts';

/** What became of a record, or would become of it. */
export interface Judgement {
  status: RecordStatus;
  missingFields: string[];
  warnings: Warning[];
}

export interface RecordOutcome extends Judgement {
  recordId: number;
}

export type SubmitOutcome =
  | {
      kind: 'stored';
      submissionId: number;
      records: RecordOutcome[];
      /** It was stored by an earlier request with the same idempotency key. */
      replayed: boolean;
    }
  | { kind: 'checked'; records: Judgement[] }
  | Refused;

export interface SubmitParts {
  database: Kysely<Tables>;
  references: ReferenceCache;
  ranges: FeatureRangeCache;
  images: ImageKeeper;
  anonymous: AnonymousLimits;
  log: Logger;
}

export interface SubmitRequest {
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
 * lists, the database or, with images, media-svc cannot be reached, CONFLICT for a key that came with another body, and
 * without an account PAYLOAD_TOO_LARGE or RATE_LIMITED beyond its limits.
 */
export async function submit(parts: SubmitParts, request: SubmitRequest): Promise<SubmitOutcome> {
  const { database, ranges } = parts;
  const { caller, validateOnly, requestId } = request;
  const key = keyOf(request);
  const earlier = key && (await replay(database, key));
  if (earlier) return earlier;
  if (!caller && !validateOnly) await refuseFullNetwork(database, parts.anonymous, request.clientIp);

  const userMetadata = caller ? 'optional' : 'required';
  const read = await readSubmission(parts.references, request.json, { userMetadata }, request);
  if (read.kind !== 'read') return read;
  const { submission } = read;
  const moved = moveRecords(
    submission.records.map(({ missingFields }) => ({ from: undefined, missingFields })),
    'submit',
    caller?.credential === 'pat',
  );
  if (moved.kind === 'missing') return moved;
  const completed = await completeImages(parts.images, submission.records, [], request);
  if (completed.kind === 'invalid') return (key && (await replayUnderWay(database, key))) ?? completed;
  const references = await parts.references.current(request);
  const known = { accountId: caller?.accountId, except: [] };
  const judged = await judgeRecords({ database, references, ranges }, completed.records, known);
  const records = judged.map((record, index) => ({ ...record, status: moved.statuses[index] ?? 'NEEDS_UPDATE' }));
  if (validateOnly) {
    const judgements = records.map(({ status, missingFields, warnings }) => ({ status, missingFields, warnings }));
    return { kind: 'checked', records: judgements };
  }

  const stored = await storeInTurn(parts.anonymous, request, () =>
    database.transaction().execute(async (transaction) => {
      const from = { clientIp: request.clientIp, records: records.length };
      const origin = caller ? undefined : await admitAnonymous(transaction, parts.anonymous, from);
      const ids = await insertSubmission(transaction, {
        submission,
        records,
        ownerAccountId: caller?.accountId ?? null,
        credential: caller?.credential ?? 'anonymous',
        origin,
        requestId,
      });
      // Submissions have come one after the other since the ids were taken, and so has the deletion of an account.
      if (caller) await refuseDeleted(transaction, caller.accountId);
      if (key && !(await takeKey(transaction, key, ids.submissionId))) throw new KeyTaken();
      const images = imagesOf(records.map(({ data }, index) => ({ recordId: ids.recordIds[index] ?? 0, data })));
      await claimImages(parts.images, images, request).catch(async (error: unknown) => {
        // Whether they were attached is not known, and these record ids will be given again: no later than now.
        if (!(error instanceof ImagesRefused)) await releaseClaims(parts, images, request);
        throw error;
      });
      return ids;
    }),
  ).catch((error: unknown) => (error instanceof KeyTaken ? undefined : refusalOfClaim(error, records)));
  if (stored && 'kind' in stored) return stored;
  if (!stored) {
    const first = key && (await replay(database, key));
    if (first) return first;
    throw new ServiceError('UNAVAILABLE', 'The Idempotency-Key is being used by another request; try again.');
  }
  return {
    kind: 'stored',
    submissionId: stored.submissionId,
    records: records.map(({ status, missingFields, warnings }, index) => ({
      recordId: stored.recordIds[index] ?? 0,
      status,
      missingFields,
      warnings,
    })),
    replayed: false,
  };
}

async function releaseClaims(parts: SubmitParts, images: readonly ImageOfRecord[], call: CallOptions): Promise<void> {
  await parts.images.release(images, call).catch((err: unknown) => {
    parts.log.warn({ err, images: images.length }, 'claims of images may be left; media-svc takes them back later');
  });
}

/** Rolls back what was stored under a key that another request took first. */
class KeyTaken extends Error {}

function keyOf({ idempotencyKey: key, caller, clientIp, json, validateOnly }: SubmitRequest) {
  if (key === undefined) return undefined;
  const scope = caller ? `account ${caller.accountId}` : `address ${clientIp ?? ''}`;
  const made = idempotencyKey(scope, key, json);
  return validateOnly ? undefined : made;
}

/** As replay, also where the submission that came of the key is just being stored: its images are no longer free. */
async function replayUnderWay(database: Kysely<Tables>, key: IdempotencyKey): Promise<SubmitOutcome | undefined> {
  await database.transaction().execute((transaction) => lockSubmissions(transaction));
  return replay(database, key);
}

async function replay(database: Kysely<Tables>, key: IdempotencyKey): Promise<SubmitOutcome | undefined> {
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
