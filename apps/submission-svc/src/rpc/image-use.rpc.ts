import { ImageUseServiceService } from '@esd/proto/esd/submission/v1/image_use';
import { ServiceError } from '@esd/service/errors';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { Kysely } from 'kysely';
import { findImageUses } from '../records/image-use.store.ts';
import type { Tables } from '../tables.ts';

const MAX_IDS = 1_000;

export function imageUseRpc(database: Kysely<Tables>): RpcService {
  return rpcService(ImageUseServiceService, {
    findImageUses: async ({ imageIds }, { peer }) => {
      if (peer !== 'media-svc') throw new ServiceError('FORBIDDEN', 'Only media-svc may call findImageUses.');
      if (imageIds.length > MAX_IDS) {
        throw new ServiceError(
          'INVALID_REQUEST',
          `\`imageIds\` must have at most ${MAX_IDS} entries, got ${imageIds.length}.`,
        );
      }
      return { uses: await findImageUses(database, imageIds) };
    },
  });
}
