import { namedListFromWire } from '@esd/dataset-client/list-names';
import { ReferenceUseServiceService } from '@esd/proto/esd/submission/v1/reference_use';
import { ServiceError } from '@esd/service/errors';
import { requireRole } from '@esd/service/auth/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { Kysely } from 'kysely';
import { countUse } from '../reference/count-use.ts';
import type { Tables } from '../tables.ts';

export function referenceUseRpc(database: Kysely<Tables>): RpcService {
  return rpcService(ReferenceUseServiceService, {
    countUse: async ({ list: wireList, names }, context) => {
      requireRole(context, 'ADMIN');
      const list = namedListFromWire(wireList);
      if (!list) throw new ServiceError('INVALID_REQUEST', '`list` must name a reference list.');
      return { records: await countUse(database, list, names) };
    },
  });
}
