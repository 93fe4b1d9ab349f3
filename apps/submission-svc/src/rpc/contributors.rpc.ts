import { ContributorsServiceService } from '@esd/proto/esd/submission/v1/contributors';
import { type RpcService, rpcService } from '@esd/service/rpc-server';
import type { Kysely } from 'kysely';
import { findContributors } from '../contributors/contributors.store.ts';
import type { Tables } from '../tables.ts';

/** The list of contributors over gRPC. */
export function contributorsRpc(database: Kysely<Tables>): RpcService {
  return rpcService(ContributorsServiceService, {
    listContributors: async () => {
      const contributors = await findContributors(database);
      return {
        contributors: contributors.map(({ affiliation, orcid, ...contributor }) => ({
          ...contributor,
          affiliation: affiliation ?? undefined,
          orcid: orcid ?? undefined,
        })),
      };
    },
  });
}
