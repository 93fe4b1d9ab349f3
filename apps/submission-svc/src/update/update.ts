import type { Problem } from '@esd/record/problems';
import type { CheckedSubmission } from '@esd/record/validate-submission';
import type { Caller } from '@esd/service/assertion';
import { ServiceError } from '@esd/service/errors';
import type { Transaction } from 'kysely';
import { refuseDeleted } from '../account/deleted-account.store.ts';
import { recordTag } from '../record/entity-tag.ts';
import { imagesOf, refusalOfImages } from '../images/refused-images.ts';
import { reservationOf, type StoredWithImages, storeWithImages } from '../images/store-with-images.ts';
import { completeImages, imageIdsOf } from '../images/complete-images.ts';
import { dropImages } from '../images/drop-images.ts';
import type { ImageOfRecord } from '../images/image-keeper.ts';
import { moveRecords } from '../submit/move-records.ts';
import { readSubmission, type Refused } from '../submit/read-submission.ts';
import type { RecordOutcome, SubmitParts } from '../submit/submit.ts';
import type { Asking } from '../submit/turns.ts';
import type { Tables } from '../tables.ts';
import { judgeRecords } from '../warnings/judge-records.ts';
import { matchItems } from './match-items.ts';
import {
  addRevisions,
  findOwnRecord,
  findOwnSubmission,
  lockOwnRecords,
  replaceSubmitter,
  type UpdateTarget,
} from './update.store.ts';

export interface UpdateRequest extends Asking {
  /** The body as it came: JSON text in UTF-8. */
  json: Uint8Array;
  caller: Caller;
  requestId: string;
  deadline: number;
}

type RecordUpdate = UpdateRequest & { recordId: number; entityTags: readonly string[] };
type SubmissionUpdate = UpdateRequest & { submissionId: number };

/** What became of a record that was updated. */
export interface UpdatedRecord extends RecordOutcome {
  entityTag: string;
  /** False where it held the same data already, so that nothing was stored. */
  changed: boolean;
  /** A revision of it is public; it stays so until a newer one is approved. */
  isPublic: boolean;
}

export type UpdateOutcome = { kind: 'updated'; records: UpdatedRecord[] } | Refused;

/**
 * Replaces the data of one of the caller's own records by the one item of a SubmitDataDTO, as a new revision. The same
 * data change nothing, except that a declined record is handed in again. `entityTags`: the record must have one of
 * them, else PRECONDITION_FAILED; none: whatever it is. Throws RECORD_NOT_FOUND for what is not the caller's.
 */
export function updateRecord(parts: SubmitParts, request: RecordUpdate): Promise<UpdateOutcome> {
  return parts.turns.admit(request, request.json.length, () => replaceRecord(parts, request));
}

async function replaceRecord(parts: SubmitParts, request: RecordUpdate): Promise<UpdateOutcome> {
  const { recordId, entityTags, caller } = request;
  const notFound = () => new ServiceError('RECORD_NOT_FOUND', `You have no record ${recordId}.`);
  const target = await findOwnRecord(parts.database, caller.accountId, recordId);
  if (!target) throw notFound();
  const read = await readUpdate(parts, request, target);
  if (read.kind !== 'read') return read;
  const { submission } = read;
  if (submission.records.length !== 1) {
    const message = `An update of record ${recordId} takes exactly one item, got ${submission.records.length}.`;
    return refuse([{ path: 'experimentData', code: 'WRONG_RECORD_COUNT', message }]);
  }
  const { name } = reservationOf(recordId, []);
  return store(parts, request, { target, submission, recordIds: [recordId], entityTags, notFound, whole: false, name });
}

/**
 * Replaces the data of every record of one of the caller's own submissions, all or none. Items are matched by `recordId`
 * where each carries one, else by their order. What is said of the submitter is replaced where it is sent. Throws
 * SUBMISSION_NOT_FOUND for what is not the caller's.
 */
export function updateSubmission(parts: SubmitParts, request: SubmissionUpdate): Promise<UpdateOutcome> {
  return parts.turns.admit(request, request.json.length, () => replaceRecords(parts, request));
}

async function replaceRecords(parts: SubmitParts, request: SubmissionUpdate): Promise<UpdateOutcome> {
  const { submissionId, caller } = request;
  const notFound = () => new ServiceError('SUBMISSION_NOT_FOUND', `You have no submission ${submissionId}.`);
  const target = await findOwnSubmission(parts.database, caller.accountId, submissionId);
  if (!target) throw notFound();
  const read = await readUpdate(parts, request, target);
  if (read.kind !== 'read') return read;
  const { submission, body } = read;
  const matched = matchItems(body, target.recordIds);
  if ('problems' in matched) return refuse(matched.problems);
  const { recordIds } = matched;
  const name = `submission ${submissionId}`;
  return store(parts, request, { target, submission, recordIds, entityTags: [], notFound, whole: true, name });
}

function readUpdate(parts: SubmitParts, request: UpdateRequest, { imageOnly }: UpdateTarget) {
  return readSubmission(parts, request.json, { userMetadata: 'optional', imageOnly, keepsRetired: true }, request);
}

function refuse(problems: Problem[]): Refused {
  return { kind: 'invalid', problems, problemCount: problems.length };
}

interface Update {
  target: UpdateTarget;
  submission: CheckedSubmission;
  /** The record of each item. */
  recordIds: readonly number[];
  entityTags: readonly string[];
  notFound: () => ServiceError;
  /** The submission itself is updated, not only a record of it. */
  whole: boolean;
  /** Of what is updated, the same for all that update it at the same time. */
  name: string;
}

async function store(parts: SubmitParts, request: UpdateRequest, update: Update): Promise<UpdateOutcome> {
  const { images } = parts;
  const { caller, requestId } = request;
  const { target, submission, recordIds, entityTags, notFound } = update;
  const completed = await completeImages(images, submission.records, recordIds, request);
  if (completed.kind === 'invalid') return completed;
  const references = await parts.references.current(request);
  const known = { accountId: caller.accountId, except: recordIds };
  const judged = await judgeRecords({ ...parts, references }, completed.records, known, request);
  const named = judged.map(({ data }, index) => ({ recordId: recordIds[index] ?? 0, data }));
  let dropped: ImageOfRecord[] = [];
  const storing = async (transaction: Transaction<Tables>): Promise<StoredWithImages<UpdateOutcome>> => {
    const locked = await lockOwnRecords(transaction, caller.accountId, recordIds);
    await refuseDeleted(transaction, caller.accountId);
    const records = judged.flatMap((record, index) => {
      const state = locked.get(recordIds[index] ?? 0);
      return state ? [{ record, state }] : [];
    });
    if (records.length < recordIds.length) throw notFound();
    for (const { state } of records) {
      if (entityTags.length > 0 && !entityTags.includes(recordTag(state.id, state.revision))) {
        throw new ServiceError(
          'PRECONDITION_FAILED',
          `Record ${state.id} is at revision ${state.revision} now: read it again, then update that.`,
        );
      }
    }
    const moved = moveRecords(
      records.map(({ record, state }) => ({ from: state.status, missingFields: record.missingFields })),
      'update',
      caller.credential === 'pat',
    );
    if (moved.kind === 'missing') return { stored: moved, attached: [] };
    const next = records.map(({ record, state }, index) => {
      // What was declined may be handed in again as it is; for any other record the same data are no edit.
      const changed = state.status === 'REJECTED' || !(state.contentHash?.equals(record.contentHash) ?? false);
      const status = changed ? (moved.statuses[index] ?? 'NEEDS_UPDATE') : state.status;
      const revision = changed ? state.revision + 1 : state.revision;
      const isPublic = state.publishedRevision !== null;
      return { recordId: state.id, changed, status, revision, record, isPublic, imagesBefore: state.imageIds };
    });
    const changes = next.filter(({ changed }) => changed);
    const revisions = changes.map(({ record, recordId, revision, status }) => ({
      ...record,
      recordId,
      revision,
      status,
    }));
    await addRevisions(transaction, revisions, { accountId: caller.accountId, requestId });
    if (update.whole && Object.keys(submission.userMetadata).length > 0) {
      await replaceSubmitter(transaction, target.submissionId, submission.userMetadata);
    }
    dropped = changes.flatMap(({ recordId, imagesBefore, record }) => {
      const kept = new Set(imageIdsOf(record.data));
      return imagesBefore.flatMap((imageId) => (kept.has(imageId) ? [] : [{ imageId, recordId }]));
    });
    const held = changes.map(({ recordId, record }) => ({ recordId, data: record.data }));
    const stored: UpdateOutcome = {
      kind: 'updated',
      records: next.map(({ record: { missingFields, warnings }, recordId, revision, ...rest }) => ({
        recordId,
        status: rest.status,
        missingFields,
        warnings,
        entityTag: recordTag(recordId, revision),
        changed: rest.changed,
        isPublic: rest.isPublic,
      })),
    };
    return { stored, attached: imagesOf(held) };
  };
  const outcome = await storeWithImages(parts, request, { name: update.name, images: imagesOf(named) }, storing).catch(
    (error: unknown) => refusalOfImages(error, judged),
  );
  if (outcome.kind === 'updated') {
    // What the edit left out is free again; should this fail, media-svc finds it later.
    await dropImages(parts, dropped, 'release', request).catch((err: unknown) => {
      parts.log.warn({ err, images: dropped.length }, 'images that an update left out could not be detached');
    });
  }
  return outcome;
}
