import type { CheckedSubmission } from '@esd/record/validate/validate-submission';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import type { Transaction } from 'kysely';
import { addWarnings, type PreparedRecord, type WarningContext } from '../prepare/add-warnings.ts';
import { completeImages } from '../prepare/complete-images.ts';
import { imagesRefused } from '../prepare/image-problems.ts';
import { parseSubmission, validateSubmission } from '../prepare/read-submission.ts';
import type { RecordContext, RecordRequest } from '../records/context.ts';
import { refuseDeleted } from '../records/deleted-account.store.ts';
import { detachImages } from '../records/detach-images.ts';
import { recordTag, submissionTag } from '../records/entity-tag.ts';
import { reservationName, storeWithImages, type WantedImages } from '../records/image-claims.ts';
import type { RecordImage } from '../records/image-client.ts';
import { imageIdsOf, imagesOf } from '../records/record-images.ts';
import { findOwnRecord, lockOwnRecords, type LockedRecord, type UpdateTarget } from '../records/record.store.ts';
import { addRevisions } from '../records/revision.store.ts';
import { nextStatuses } from '../records/transition.ts';
import { validationFailed } from '../records/validation-failed.ts';
import type { Tables } from '../tables.ts';
import { matchItems } from './match-items.ts';
import { findOwnSubmission, replaceSubmitter } from './update.store.ts';

export type UpdateContext = RecordContext & WarningContext;

export interface UpdateRequest extends RecordRequest {
  json: Uint8Array;
  caller: Caller;
  /** The target must have one of these entity tags; an empty list allows any state. */
  entityTags: readonly string[];
}

export interface UpdatedRecord extends Pick<PreparedRecord, 'missingFields' | 'warnings'> {
  recordId: number;
  status: LockedRecord['status'];
  revision: number;
  /** False if the record already had the same data, so that nothing was stored. */
  changed: boolean;
  /** Whether a revision of the record is public; it remains public until a newer one is approved. */
  isPublic: boolean;
}

/**
 * Replaces the data of one of the caller's own records with the single item of a SubmitDataDTO, as a new revision.
 * Identical data changes nothing, except that it resubmits a rejected record. Throws RECORD_NOT_FOUND for a record of
 * another account, PRECONDITION_FAILED for a different entity tag, and the errors of a submission.
 */
export function updateRecord(
  context: UpdateContext,
  request: UpdateRequest & { recordId: number },
): Promise<{ record: UpdatedRecord; entityTag: string }> {
  return context.queues.admit(request, request.json.length, () => replaceRecord(context, request));
}

async function replaceRecord(context: UpdateContext, request: UpdateRequest & { recordId: number }) {
  const { recordId, entityTags, caller } = request;
  const notFound = () => new ServiceError('RECORD_NOT_FOUND', `You have no record ${recordId}.`);
  const target = await findOwnRecord(context.database, caller.accountId, recordId);
  if (!target) throw notFound();
  const { submission } = await readUpdate(context, request, target);
  const { length } = submission.records;
  if (length !== 1) {
    const message = `An update of record ${recordId} takes exactly one item, got ${length}.`;
    throw validationFailed([{ path: 'experimentData', code: 'WRONG_RECORD_COUNT', message }]);
  }
  const [record] = await store(context, request, {
    target,
    submission,
    recordIds: [recordId],
    notFound,
    checkUnchanged: ([locked]) => {
      if (!locked || entityTags.length === 0 || entityTags.includes(recordTag(recordId, locked.revision))) return;
      const message = `Record ${recordId} is now at revision ${locked.revision}; read it again and update that revision.`;
      throw new ServiceError('PRECONDITION_FAILED', message);
    },
    whole: false,
    name: reservationName(recordId),
  });
  if (!record) throw new Error('the update returned no record');
  return { record, entityTag: recordTag(recordId, record.revision) };
}

/**
 * Replaces the data of every record of one of the caller's own submissions, all or none, and userMetadata if the body has it.
 * Items are matched as in matchItems. Throws SUBMISSION_NOT_FOUND for a submission of another account, PRECONDITION_FAILED
 * for a different entity tag, and the errors of a submission.
 */
export function updateSubmission(
  context: UpdateContext,
  request: UpdateRequest & { submissionId: number },
): Promise<{ records: UpdatedRecord[]; entityTag: string }> {
  return context.queues.admit(request, request.json.length, () => replaceRecords(context, request));
}

async function replaceRecords(context: UpdateContext, request: UpdateRequest & { submissionId: number }) {
  const { submissionId, entityTags, caller } = request;
  const notFound = () => new ServiceError('SUBMISSION_NOT_FOUND', `You have no submission ${submissionId}.`);
  const target = await findOwnSubmission(context.database, caller.accountId, submissionId);
  if (!target) throw notFound();
  const { submission, body } = await readUpdate(context, request, target);
  const records = await store(context, request, {
    target,
    submission,
    recordIds: matchItems(body, target.recordIds),
    notFound,
    checkUnchanged: (locked) => {
      const states = locked.map(({ id, revision }) => ({ recordId: id, revision }));
      if (entityTags.length === 0 || entityTags.includes(submissionTag(submissionId, states))) return;
      const message = `The records of submission ${submissionId} have changed; read them again and update the new revisions.`;
      throw new ServiceError('PRECONDITION_FAILED', message);
    },
    whole: true,
    name: `submission ${submissionId}`,
  });
  return { records, entityTag: submissionTag(submissionId, records) };
}

async function readUpdate(context: UpdateContext, request: UpdateRequest, { imageOnly }: UpdateTarget) {
  const body = await parseSubmission(context, request.json, request);
  const options = { userMetadata: 'optional', imageOnly, keepsRetired: true } as const;
  return { body, submission: await validateSubmission(context, body, options, request) };
}

interface Update {
  target: UpdateTarget;
  submission: CheckedSubmission;
  recordIds: readonly number[];
  notFound: () => ServiceError;
  /** Throws PRECONDITION_FAILED if the records, in the order of their items, changed since the caller read them. */
  checkUnchanged: (records: readonly LockedRecord[]) => void;
  whole: boolean;
  /** Name of the image reservation, the same for all updates of one target. */
  name: string;
}

async function store(context: UpdateContext, request: UpdateRequest, update: Update): Promise<UpdatedRecord[]> {
  const { target, submission, recordIds } = update;
  const { accountId } = request.caller;
  const completed = await completeImages(context.images, submission.records, recordIds, request);
  const prepared = await addWarnings(context, completed, { accountId, except: recordIds }, request);
  const wanted: WantedImages = {
    name: update.name,
    images: imagesOf(prepared.map(({ data }, index) => ({ recordId: recordIds[index] ?? 0, data }))),
    refusal: (refused) => imagesRefused(prepared, refused),
  };
  const { updated, dropped } = await storeWithImages(context, request, wanted, async (transaction) => {
    const locked = await lockAll(transaction, accountId, update);
    const revisions = nextRevisions(prepared, locked, request.caller.credential === 'pat');
    const changed = revisions.filter((revision) => revision.changed);
    await addRevisions(transaction, changed, { accountId, requestId: request.requestId });
    if (update.whole && Object.keys(submission.userMetadata).length > 0) {
      await replaceSubmitter(transaction, target.submissionId, submission.userMetadata);
    }
    return { stored: { updated: revisions, dropped: droppedImages(changed, locked) }, attached: imagesOf(changed) };
  });
  // If this fails, media-svc releases the images later.
  await detachImages(context, dropped, 'release', request).catch((err: unknown) => {
    context.log.warn({ err, images: dropped.length }, 'failed to detach images that an update removed');
  });
  return updated.map(({ recordId, status, revision, missingFields, warnings, changed, isPublic }) => ({
    recordId,
    status,
    revision,
    missingFields,
    warnings,
    changed,
    isPublic,
  }));
}

/** Locks the records of an update and returns them in the order of its items. Throws unless the caller may update them. */
async function lockAll(
  transaction: Transaction<Tables>,
  accountId: string,
  { recordIds, notFound, checkUnchanged }: Update,
): Promise<LockedRecord[]> {
  const found = await lockOwnRecords(transaction, accountId, recordIds);
  await refuseDeleted(transaction, accountId);
  const locked = recordIds.flatMap((recordId) => found.get(recordId) ?? []);
  if (locked.length < recordIds.length) throw notFound();
  checkUnchanged(locked);
  return locked;
}

/** Returns the next revision of each record, or the current one if the data is the same; `locked` has the same order. */
function nextRevisions(prepared: readonly PreparedRecord[], locked: readonly LockedRecord[], lenient: boolean) {
  const pairs = prepared.flatMap((record, index) => {
    const state = locked[index];
    return state ? [{ record, state }] : [];
  });
  const statuses = nextStatuses(
    pairs.map(({ record, state }) => ({ from: state.status, missingFields: record.missingFields })),
    'update',
    lenient,
  );
  return pairs.map(({ record, state }, index) => {
    // A rejected record may be submitted again unchanged; for any other record, the same data is not an edit.
    const changed = state.status === 'REJECTED' || !(state.contentHash?.equals(record.contentHash) ?? false);
    return {
      ...record,
      recordId: state.id,
      changed,
      status: changed ? (statuses[index] ?? 'NEEDS_UPDATE') : state.status,
      revision: changed ? state.revision + 1 : state.revision,
      isPublic: state.publishedRevision !== null,
    };
  });
}

function droppedImages(
  changed: readonly (PreparedRecord & { recordId: number })[],
  locked: readonly LockedRecord[],
): RecordImage[] {
  const before = new Map(locked.map(({ id, imageIds }) => [id, imageIds]));
  return changed.flatMap(({ recordId, data }) => {
    const current = new Set(imageIdsOf(data));
    return (before.get(recordId) ?? []).flatMap((imageId) => (current.has(imageId) ? [] : [{ imageId, recordId }]));
  });
}
