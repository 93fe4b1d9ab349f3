import { RecordImageServiceService } from '@esd/proto/esd/submission/v1/record_images';
import { requireCaller } from '@esd/service/auth/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import { attachImage } from '../images/attach-image.ts';
import { listImages } from '../images/list-images.ts';
import { deleteImage } from '../images/delete-image.ts';
import type { RecordContext } from '../records/context.ts';
import { requestOf } from './request.ts';

export function recordImagesRpc(context: RecordContext): RpcService {
  return rpcService(RecordImageServiceService, {
    attachImage: async ({ recordId, imageJson: json }, call) => {
      const caller = requireCaller(call);
      const { image, entityTag } = await attachImage(context, { ...requestOf(call), recordId, json, caller });
      return { imageJson: Buffer.from(JSON.stringify(image)), entityTag };
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
