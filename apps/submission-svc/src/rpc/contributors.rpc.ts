import { ContributorsServiceService } from '@esd/proto/esd/submission/v1/contributors';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import { SharedCalls } from '@esd/service/rpc/shared-calls';
import type { Kysely } from 'kysely';
import { type PublicContributor, findContributors } from '../contributors/contributors.store.ts';
import type { Tables } from '../tables.ts';

export function contributorsRpc(database: Kysely<Tables>): RpcService {
  // The list is public and can be slow, so concurrent callers share one query.
  const calls = new SharedCalls<PublicContributor[]>();
  return rpcService(ContributorsServiceService, {
    listContributors: async () => {
      const contributors = await calls.join('', undefined, () => findContributors(database)).result;
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
