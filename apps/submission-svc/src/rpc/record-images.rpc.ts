import { RecordImageServiceService } from '@esd/proto/esd/submission/v1/record_images';
import { requireCaller } from '@esd/service/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc-server';
import { attachImage } from '../images/attach-image.ts';
import { listImages } from '../images/list-images.ts';
import { removeImage } from '../images/remove-image.ts';
import type { SubmitParts } from '../submit/submit.ts';
import { toRefusal } from './refusal.ts';
import { askingIn } from './submission.rpc.ts';

/** Images of records over gRPC. */
export function recordImagesRpc(parts: SubmitParts): RpcService {
  return rpcService(RecordImageServiceService, {
    attachImage: async ({ recordId, imageJson: json }, context) => {
      const caller = requireCaller(context);
      const outcome = await attachImage(parts, { ...askingIn(context), recordId, json, caller });
      if (outcome.kind !== 'attached') return { outcome: { $case: 'refusal', value: toRefusal(outcome, 'image') } };
      const { image, entityTag } = outcome;
      return { outcome: { $case: 'attached', value: { imageJson: Buffer.from(JSON.stringify(image)), entityTag } } };
    },

    listImages: async ({ recordId }, context) => {
      const { accountId } = requireCaller(context);
      return { imagesJson: Buffer.from(await listImages(parts.database, accountId, recordId)) };
    },

    removeImage: async ({ recordId, imageId }, context) => {
      const { requestId, deadline } = context;
      const image = { recordId, imageId: imageId.toLowerCase() };
      return removeImage(parts, image, requireCaller(context), { requestId, deadline });
    },
  });
}
