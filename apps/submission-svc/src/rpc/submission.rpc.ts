import {
  type CheckedRecord,
  type RecordOutcome,
  SubmissionServiceService,
} from '@esd/proto/esd/submission/v1/submission';
import { statusFromWire, statusToWire } from '@esd/dataset-client/record-status';
import { requireCaller, requireSession } from '@esd/service/auth/require-caller';
import { ServiceError } from '@esd/service/errors';
import { outcomeOf } from '@esd/service/rpc/rpc-errors';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import { getOwnExperiment, getOwnSubmission, listOwnRecords, listOwnSubmissions } from '../own-data/own-data.ts';
import { exportOwnData } from '../own-data/export-own-data.ts';
import { getOwnHistory } from '../own-data/own-history.ts';
import { findOwnRecordIds, type Page } from '../own-data/own-data.store.ts';
import { ORIGIN_DAYS } from '../origin/origin.ts';
import type { RetentionContext } from '../retention/retention-job.ts';
import {
  type RecordCheck,
  type StoredRecord,
  submit,
  type SubmitContext,
  type SubmitResult,
} from '../submit/submit.ts';
import { type UpdatedRecord, updateRecord, updateSubmission } from '../update/update.ts';
import { requestOf } from './request.ts';

export function submissionRpc(context: SubmitContext & Pick<RetentionContext, 'keep'>): RpcService {
  const { database, keep } = context;
  return rpcService(SubmissionServiceService, {
    submit: async ({ submissionJson: json, validateOnly, idempotencyKey }, call) => {
      const { caller, clientIp } = call;
      const request = { ...requestOf(call), json, caller, clientIp, idempotencyKey, validateOnly };
      return { outcome: await outcomeOf(async () => submitOutcome(await submit(context, request))) };
    },

    updateRecord: async ({ recordId, submissionJson: json, entityTags }, call) => {
      const request = { ...requestOf(call), recordId, json, entityTags, caller: requireCaller(call) };
      const outcome = await outcomeOf(async () => {
        const { record, entityTag } = await updateRecord(context, request);
        const value = { message: updateMessage(record), record: recordToWire(record), entityTag };
        return { $case: 'updated' as const, value };
      });
      return { outcome };
    },

    updateSubmission: async ({ submissionId, submissionJson: json, entityTags }, call) => {
      const request = { ...requestOf(call), submissionId, json, entityTags, caller: requireCaller(call) };
      const outcome = await outcomeOf(async () => {
        const { records, entityTag } = await updateSubmission(context, request);
        const value = { message: submissionMessage(records), records: records.map(recordToWire), entityTag };
        return { $case: 'updated' as const, value };
      });
      return { outcome };
    },

    listOwnRecordIds: async ({ status, ...page }, call) => {
      const { accountId } = requireCaller(call);
      return { recordIds: await findOwnRecordIds(database, accountId, statusFromWire(status), checkPage(page)) };
    },

    listOwnRecords: async function* ({ status, ...page }, call) {
      const { accountId } = requireCaller(call);
      const chunks = listOwnRecords(database, accountId, statusFromWire(status), checkPage(page));
      for await (const json of chunks) yield { json };
    },

    listOwnSubmissions: async function* (page, call) {
      const { accountId } = requireCaller(call);
      for await (const json of listOwnSubmissions(database, accountId, checkPage(page))) yield { json };
    },

    getOwnExperiment: async ({ recordId }, call) => {
      const { json, entityTag } = await getOwnExperiment(database, requireCaller(call).accountId, recordId);
      return { submissionJson: json, entityTag };
    },

    getOwnHistory: async function* ({ recordId }, call) {
      const chunks = await getOwnHistory(database, requireCaller(call).accountId, recordId);
      for await (const json of chunks) yield { json };
    },

    exportOwnData: async function* (_request, call) {
      const { accountId } = requireSession(call);
      for await (const json of exportOwnData(context, accountId, requestOf(call))) yield { json };
    },

    getOwnSubmission: async function* ({ submissionId }, call) {
      const { accountId } = requireCaller(call);
      const { chunks, entityTag } = await getOwnSubmission(database, accountId, submissionId);
      let tag = entityTag;
      for await (const json of chunks) {
        yield { json, entityTag: tag };
        tag = '';
      }
    },

    getRetention: () => Promise.resolve({ ...keep, originDays: ORIGIN_DAYS }),
  });
}

function checkPage({ skip, limit }: { skip: number; limit?: number | undefined }): Page {
  if (skip < 0 || (limit !== undefined && limit < 1)) {
    throw new ServiceError('INVALID_PARAMETER', '`skip` must be 0 or more, and `limit` 1 or more.');
  }
  return { skip, limit };
}

function submitOutcome(result: SubmitResult) {
  const { records } = result;
  const count = countedRecords(records.length);
  if (result.kind === 'checked') {
    const message = `${count} ${records.length === 1 ? 'is' : 'are'} valid; nothing was stored.`;
    return { $case: 'checked' as const, value: { message, records: result.records.map(checkToWire) } };
  }
  const { submissionId, replayed } = result;
  const complete = records.every(({ status }) => status === 'PENDING');
  const message = complete
    ? `${count} saved; ${records.length === 1 ? 'it awaits' : 'they await'} review.`
    : `${count} saved; complete those that lack mandatory fields.`;
  return {
    $case: 'stored' as const,
    value: { message, submissionId, records: result.records.map(recordToWire), replayed },
  };
}

function updateMessage({ recordId, status, changed, missingFields, isPublic }: UpdatedRecord): string {
  const record = `Record ${recordId}`;
  if (!changed) return `${record} is unchanged.`;
  const lacks = `${record} is saved, but lacks mandatory fields: ${missingFields.join(', ')}.`;
  const saved = status === 'PENDING' ? `${record} is saved and awaits review.` : lacks;
  return isPublic ? `${saved} The published revision remains public until the edit is approved.` : saved;
}

function submissionMessage(records: readonly UpdatedRecord[]): string {
  const changed = records.filter((record) => record.changed).length;
  const saved = `${changed} of ${countedRecords(records.length)} updated.`;
  return changed < records.length ? `${saved} The others are unchanged.` : saved;
}

function countedRecords(count: number): string {
  return count === 1 ? '1 record' : `${count} records`;
}

function checkToWire({ status, missingFields, warnings }: RecordCheck): CheckedRecord {
  return { status: statusToWire(status), missingFields, warnings };
}

function recordToWire({ recordId, ...check }: StoredRecord): RecordOutcome {
  return { recordId, ...checkToWire(check) };
}
