import { ReferenceUseServiceService } from '@esd/proto/esd/submission/v1/reference_use';
import { ServiceError } from '@esd/service/errors';
import { requireRole } from '@esd/service/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc-server';
import type { Kysely } from 'kysely';
import { countUse } from '../reference/count-use.ts';
import { LIST_NAMES } from '../reference/list-names.ts';
import type { Tables } from '../tables.ts';

/** Which names of the reference lists records hold, over gRPC. */
export function referenceUseRpc(database: Kysely<Tables>): RpcService {
  return rpcService(ReferenceUseServiceService, {
    countUse: async ({ list, names }, context) => {
      requireRole(context, ['ADMIN']);
      const name = LIST_NAMES[list];
      if (!name) throw new ServiceError('INVALID_REQUEST', 'The list of the names is needed.');
      return { records: await countUse(database, name, names) };
    },
  });
}
