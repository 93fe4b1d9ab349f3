import { type Refusal, SubmissionServiceService, type SubmitResponse } from '@esd/proto/esd/submission/v1/submission';
import { requireCaller } from '@esd/service/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc-server';
import { findOwnRecordIds } from '../record/record.store.ts';
import { submit, type SubmitOutcome, type SubmitParts } from '../submit/submit.ts';
import { statusFromWire, statusToWire } from './record-status.ts';

/** Submissions and own data over gRPC. */
export function submissionRpc(parts: SubmitParts): RpcService {
  return rpcService(SubmissionServiceService, {
    submit: async ({ submissionJson }, { caller, requestId, deadline }) =>
      toResponse(await submit(parts, { json: submissionJson, caller, requestId, deadline })),

    listOwnRecordIds: async ({ status }, context) => ({
      recordIds: await findOwnRecordIds(parts.database, requireCaller(context).accountId, statusFromWire(status)),
    }),
  });
}

function toResponse(outcome: SubmitOutcome): SubmitResponse {
  if (outcome.kind === 'stored') {
    const { submissionId, records } = outcome;
    return {
      outcome: {
        $case: 'stored',
        value: {
          message: records.every(({ status }) => status === 'PENDING')
            ? `${records.length} record(s) saved; they await review.`
            : `${records.length} record(s) saved; those that lack mandatory fields await an update.`,
          submissionId,
          records: records.map((record) => ({ ...record, status: statusToWire(record.status) })),
        },
      },
    };
  }
  return { outcome: { $case: 'refusal', value: toRefusal(outcome) } };
}

function toRefusal(outcome: Exclude<SubmitOutcome, { kind: 'stored' }>): Refusal {
  switch (outcome.kind) {
    case 'unreadable':
      return { code: 'INVALID_REQUEST', message: outcome.message, problems: [], problemCount: 0, missingFields: [] };
    case 'invalid': {
      const { problems, problemCount } = outcome;
      const message = `The submission has ${problemCount} problem(s); nothing was stored.`;
      return { code: 'VALIDATION_FAILED', message, problems, problemCount, missingFields: [] };
    }
    case 'missing': {
      const { problems, problemCount, missingFields } = outcome;
      const message = `Mandatory fields are missing: ${missingFields.join(', ')}; nothing was stored.`;
      return { code: 'MISSING_FIELDS', message, problems, problemCount, missingFields };
    }
  }
}
