import { ContributorsServiceService } from '@esd/proto/esd/submission/v1/contributors';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { Kysely } from 'kysely';
import { type PublicContributor, findContributors } from '../contributors/contributors.store.ts';
import type { Tables } from '../tables.ts';

/** The list of contributors over gRPC. */
export function contributorsRpc(database: Kysely<Tables>): RpcService {
  // Anybody may ask, and a long list takes a while: those who ask meanwhile get the same answer.
  let running: Promise<PublicContributor[]> | undefined;
  return rpcService(ContributorsServiceService, {
    listContributors: async () => {
      running ??= findContributors(database).finally(() => {
        running = undefined;
      });
      const contributors = await running;
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
