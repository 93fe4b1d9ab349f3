import { ModerationServiceService, RecordStatus } from '@esd/proto/esd/submission/v1/submission';
import { requireCaller } from '@esd/service/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc-server';
import type { Kysely } from 'kysely';
import { approveRecords } from '../review/approve.ts';
import type { Tables } from '../tables.ts';
import { statusToWire } from './record-status.ts';

/** Review of records over gRPC. */
export function moderationRpc(database: Kysely<Tables>): RpcService {
  return rpcService(ModerationServiceService, {
    approveRecords: async ({ records }, context) => {
      const toReview = records.map(({ recordId, revision }) => ({ recordId, revision }));
      const outcome = await approveRecords(database, toReview, requireCaller(context), context.requestId);
      if (outcome.kind === 'conflict') {
        const offenders = outcome.offenders.map((offender) => ({
          ...offender,
          status: offender.status ? statusToWire(offender.status) : RecordStatus.RECORD_STATUS_UNSPECIFIED,
        }));
        return { outcome: { $case: 'conflict', value: { offenders } } };
      }
      const reviewed = outcome.records.map((record) => ({ ...record, status: statusToWire(record.status) }));
      return { outcome: { $case: 'reviewed', value: { records: reviewed } } };
    },
  });
}
