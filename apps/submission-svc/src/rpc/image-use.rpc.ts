import { ImageUseServiceService } from '@esd/proto/esd/submission/v1/image_use';
import { ServiceError } from '@esd/service/errors';
import { type RpcService, rpcService } from '@esd/service/rpc-server';
import type { Kysely } from 'kysely';
import { findHeldImages } from '../images/held-images.store.ts';
import type { Tables } from '../tables.ts';

const MOST_IDS = 1_000;

/** Which images records hold, over gRPC, for media-svc alone. */
export function imageUseRpc(database: Kysely<Tables>): RpcService {
  return rpcService(ImageUseServiceService, {
    findImageUses: async ({ imageIds }, { peer }) => {
      if (peer !== 'media-svc') throw new ServiceError('FORBIDDEN', 'Only media-svc may ask for the uses of images.');
      if (imageIds.length > MOST_IDS) {
        throw new ServiceError('INVALID_REQUEST', `At most ${MOST_IDS} images at once, got ${imageIds.length}.`);
      }
      return { uses: await findHeldImages(database, imageIds) };
    },
  });
}
