import { RecordImageServiceService } from '@esd/proto/esd/submission/v1/record_images';
import { requireCaller } from '@esd/service/auth/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import { attachImage } from '../images/attach-image.ts';
import { listImages } from '../images/list-images.ts';
import { deleteImage } from '../images/delete-image.ts';
import type { RecordContext } from '../records/context.ts';
import { outcomeOf } from './refusal.ts';
import { requestOf } from './request.ts';

export function recordImagesRpc(context: RecordContext): RpcService {
  return rpcService(RecordImageServiceService, {
    attachImage: async ({ recordId, imageJson: json }, call) => {
      const caller = requireCaller(call);
      const outcome = await outcomeOf(async () => {
        const { image, entityTag } = await attachImage(context, { ...requestOf(call), recordId, json, caller });
        const imageJson = Buffer.from(JSON.stringify(image));
        return { $case: 'attached' as const, value: { imageJson, entityTag } };
      });
      return { outcome };
    },

    listImages: async ({ recordId }, call) => {
      const { accountId } = requireCaller(call);
      return { imagesJson: Buffer.from(await listImages(context.database, accountId, recordId)) };
    },

    deleteImage: async ({ recordId, imageId }, call) => {
      const { requestId, deadline } = call;
      const image = { recordId, imageId: imageId.toLowerCase() };
      return deleteImage(context, image, requireCaller(call), { requestId, deadline });
    },
  });
}
