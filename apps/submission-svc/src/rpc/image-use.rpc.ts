import { ImageUseServiceService } from '@esd/proto/esd/submission/v1/image_use';
import { ServiceError } from '@esd/service/errors';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { Kysely } from 'kysely';
import { findImageUses } from '../records/image-use.store.ts';
import type { Tables } from '../tables.ts';

const MAX_IDS = 1_000;

/** Which images records hold, over gRPC, for media-svc alone. */
export function imageUseRpc(database: Kysely<Tables>): RpcService {
  return rpcService(ImageUseServiceService, {
    findImageUses: async ({ imageIds }, { peer }) => {
      if (peer !== 'media-svc') throw new ServiceError('FORBIDDEN', 'Only media-svc may ask for the uses of images.');
      if (imageIds.length > MAX_IDS) {
        throw new ServiceError('INVALID_REQUEST', `At most ${MAX_IDS} images at once, got ${imageIds.length}.`);
      }
      return { uses: await findImageUses(database, imageIds) };
    },
  });
}
