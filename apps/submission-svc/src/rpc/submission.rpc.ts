import {
  type CheckedRecord,
  type RecordOutcome as WireOutcome,
  SubmissionServiceService,
  type SubmitResponse,
} from '@esd/proto/esd/submission/v1/submission';
import { ServiceError } from '@esd/service/errors';
import { requireCaller } from '@esd/service/require-caller';
import { type CallContext, type RpcService, rpcService } from '@esd/service/rpc-server';
import { getOwnExperiment, getOwnSubmission, listOwnRecords, listOwnSubmissions } from '../own-data/own-data.ts';
import { findOwnRecordIds, type Page } from '../own-data/own-data.store.ts';
import { type Judgement, type RecordOutcome, submit, type SubmitOutcome, type SubmitParts } from '../submit/submit.ts';
import { type UpdatedRecord, updateRecord, updateSubmission } from '../update/update.ts';
import { toRefusal } from './refusal.ts';
import { statusFromWire, statusToWire } from './record-status.ts';

/** Submissions, updates and own data over gRPC. */
export function submissionRpc(parts: SubmitParts): RpcService {
  const { database } = parts;
  return rpcService(SubmissionServiceService, {
    submit: async ({ submissionJson, validateOnly, idempotencyKey }, context) =>
      toResponse(
        await submit(parts, {
          ...askingIn(context),
          json: submissionJson,
          caller: context.caller,
          clientIp: context.clientIp,
          idempotencyKey,
          validateOnly,
        }),
      ),

    updateRecord: async ({ recordId, submissionJson: json, entityTags }, context) => {
      const caller = requireCaller(context);
      const outcome = await updateRecord(parts, { ...askingIn(context), recordId, json, entityTags, caller });
      if (outcome.kind !== 'updated') return { outcome: { $case: 'refusal', value: toRefusal(outcome) } };
      const [record] = outcome.records;
      if (!record) throw new Error('an update without a record');
      const { entityTag } = record;
      return {
        outcome: { $case: 'updated', value: { message: updateMessage(record), record: toWire(record), entityTag } },
      };
    },

    updateSubmission: async ({ submissionId, submissionJson: json }, context) => {
      const caller = requireCaller(context);
      const outcome = await updateSubmission(parts, { ...askingIn(context), submissionId, json, caller });
      if (outcome.kind !== 'updated') return { outcome: { $case: 'refusal', value: toRefusal(outcome) } };
      const { records } = outcome;
      const message = submissionMessage(records.length, records.filter((record) => record.changed).length);
      return { outcome: { $case: 'updated', value: { message, records: records.map(toWire) } } };
    },

    listOwnRecordIds: async ({ status, ...page }, context) => ({
      recordIds: await findOwnRecordIds(
        database,
        requireCaller(context).accountId,
        statusFromWire(status),
        checkPage(page),
      ),
    }),

    listOwnRecords: async function* ({ status, ...page }, context) {
      const { accountId } = requireCaller(context);
      const parts = listOwnRecords(database, accountId, statusFromWire(status), checkPage(page));
      for await (const json of parts) yield { json };
    },

    listOwnSubmissions: async function* (page, context) {
      const parts = listOwnSubmissions(database, requireCaller(context).accountId, checkPage(page));
      for await (const json of parts) yield { json };
    },

    getOwnExperiment: async ({ recordId }, context) => {
      const { json, entityTag } = await getOwnExperiment(database, requireCaller(context).accountId, recordId);
      return { submissionJson: json, entityTag };
    },

    getOwnSubmission: async function* ({ submissionId }, context) {
      const parts = getOwnSubmission(database, requireCaller(context).accountId, submissionId);
      for await (const json of parts) yield { json };
    },
  });
}

/** What every use case needs of a call. */
export function askingIn({ client, requestId, deadline, signal }: CallContext) {
  return { client, requestId, deadline, signal };
}

function checkPage({ skip, limit }: { skip: number; limit?: number | undefined }): Page {
  if (skip < 0 || (limit !== undefined && limit < 1)) {
    throw new ServiceError('INVALID_PARAMETER', 'skip is 0 or more and limit 1 or more.');
  }
  return { skip, limit };
}

function toResponse(outcome: SubmitOutcome): SubmitResponse {
  switch (outcome.kind) {
    case 'stored': {
      const { submissionId, records, replayed } = outcome;
      const message = records.every(({ status }) => status === 'PENDING')
        ? `${records.length} record(s) saved; they await review.`
        : `${records.length} record(s) saved; those that lack mandatory fields await an update.`;
      return {
        outcome: { $case: 'stored', value: { message, submissionId, records: records.map(toWire), replayed } },
      };
    }
    case 'checked': {
      const message = `${outcome.records.length} record(s) are valid; nothing was stored.`;
      return { outcome: { $case: 'checked', value: { message, records: outcome.records.map(toJudgement) } } };
    }
    default:
      return { outcome: { $case: 'refusal', value: toRefusal(outcome) } };
  }
}

function updateMessage({ recordId, status, changed, missingFields, isPublic }: UpdatedRecord): string {
  const record = `Record ${recordId}`;
  if (!changed) return `${record} holds these data already; nothing changed.`;
  const lacks = `${record} is saved; it awaits an update, since it lacks ${missingFields.join(', ')}.`;
  const saved = status === 'PENDING' ? `${record} is saved and awaits review.` : lacks;
  return isPublic ? `${saved} What is public stays so until the edit is approved.` : saved;
}

function submissionMessage(records: number, changed: number): string {
  const saved = `${changed} of ${records} record(s) updated.`;
  return changed < records ? `${saved} The others hold these data already.` : saved;
}

function toJudgement({ status, missingFields, warnings }: Judgement): CheckedRecord {
  return { status: statusToWire(status), missingFields, warnings };
}

function toWire({ recordId, ...judgement }: RecordOutcome): WireOutcome {
  return { recordId, ...toJudgement(judgement) };
}
