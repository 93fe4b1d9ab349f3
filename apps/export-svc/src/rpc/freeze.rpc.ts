import { FreezeServiceService } from '@esd/proto/esd/export/v1/export';
import { fileFormatNames } from '@esd/record/catalog/file-formats';
import { ERROR_CODES } from '@esd/api/error-codes';
import { ServiceError } from '@esd/service/errors';
import { requireRole } from '@esd/service/auth/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import { type FreezeDependencies, reserve } from '../freeze/freeze.ts';
import { countFreezeFiles, deleteJob, insertJob, releaseJob } from '../freeze/freeze-job.store.ts';

export function freezeRpc(dependencies: FreezeDependencies, begin: () => void): RpcService {
  return rpcService(FreezeServiceService, {
    getFreezeProgress: async ({ id }, context) => {
      requireRole(context, 'ADMIN');
      return { filesDone: await countFreezeFiles(dependencies.database, id), files: fileFormatNames.length };
    },
    startFreeze: async ({ versionIdentifier, description, doi, license }, context) => {
      const { accountId } = requireRole(context, 'ADMIN');
      const { database } = dependencies;
      const leaseId = crypto.randomUUID();
      const job = await insertJob(database, { versionIdentifier, description, doi, license, accountId }, leaseId);
      try {
        const { release_id: id } = await reserve(dependencies, job);
        if (id === null) throw new Error('the reserved job has no release');
        return { id, versionIdentifier, state: 'BUILDING' };
      } catch (error) {
        // Only a rejected job is deleted. A job that may have reserved a release continues in the background.
        if (isRefusal(error)) await deleteJob(database, job.id);
        throw error;
      } finally {
        await releaseJob(database, leaseId, 0);
        begin();
      }
    },
  });
}

function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && ERROR_CODES[error.code].http < 500;
}
