import { UsageServiceService } from '@esd/proto/esd/export/v1/export';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { Usage } from '../usage/usage.ts';

export function usageRpc(usage: Usage): RpcService {
  return rpcService(UsageServiceService, {
    countView: ({ version }) => {
      usage.countView(version);
      return Promise.resolve({});
    },
    getUsage: () => usage.read(),
    getUsageByDay: async ({ version, from, to }) => ({ days: await usage.readDays({ version, from, to }) }),
  });
}
