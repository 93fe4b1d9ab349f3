import { z } from 'zod';
import { UPLOAD_FORM_BYTES } from '@esd/api/allowances';
import { ImageContentRequest, ImageSize } from '@esd/proto/esd/media/v1/media';
import { ServiceError } from '@esd/service/errors';
import { streamRequestHeader } from '@esd/service/http/stream-request';
import { deleteImage, getImageContent, uploadImage } from '@esd/api/images';
import { formBody } from '../http/body/form-body.ts';
import type { Route } from '../http/route.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { InnerRequest } from '../upstream/byte-proxy.ts';
import { serve } from '../http/serve.ts';

const uploadForm = z
  .strictObject({
    file: z.string().meta({
      format: 'binary',
      description:
        'A PNG, JPEG, TIFF or WebP image of at most 20 MB and 100 megapixels, in gray or RGB with 8 or 16 bits per sample.',
    }),
    imageType: z.string().max(200).optional().meta({ description: 'The kind of image, such as SEM.' }),
    imageDefinition: z.string().optional().meta({
      description:
        'A JSON object of at most 4 KB; `pixelSize` is the edge length of a pixel in `pixelSizeUnit` (nm by default).',
    }),
  })
  .meta({ id: 'ImageUpload' });

export function imageRoutes({
  images,
  imageBytes,
  recordImages,
}: Pick<Upstream, 'images' | 'imageBytes' | 'recordImages'>): Route[] {
  return [
    serve(uploadImage, {
      targets: ['http:/images'],
      body: formBody(UPLOAD_FORM_BYTES, uploadForm),
      handle: ({ request, call }, response) => imageBytes({ path: '/images/upload' }, request, response, call),
    }),
    serve(getImageContent, {
      handle: ({ parameters, query: { size }, request, call }, response) =>
        imageBytes(contentRequest(parameters.imageId, size), request, response, call),
    }),
    serve(deleteImage, {
      targets: ['esd.media.v1.ImageService', 'esd.submission.v1.RecordImageService'],
      handle: async ({ parameters, call }, response) => {
        response.set('Cache-Control', 'no-store');
        const { attachedToRecordId: recordId } = await images.deleteUnattachedImage(parameters, call);
        if (recordId === undefined) {
          response.json({ success: true, message: 'The image is deleted.' });
          return;
        }
        if (call.assertions === undefined) {
          throw new ServiceError(
            'AUTH_REQUIRED',
            'This image is attached to a record; sign in as its owner or as an ADMIN to delete it.',
          );
        }
        const { awaitsApproval, message } = await recordImages.deleteImage({ recordId, ...parameters }, call);
        response.status(awaitsApproval ? 202 : 200).json({ success: true, message });
      },
    }),
  ];
}

const SIZES = {
  full: ImageSize.IMAGE_SIZE_UNSPECIFIED,
  medium: ImageSize.IMAGE_SIZE_MEDIUM,
  thumb: ImageSize.IMAGE_SIZE_THUMB,
} as const;

function contentRequest(imageId: string, size: keyof typeof SIZES = 'full'): InnerRequest {
  return {
    path: `/images/${encodeURIComponent(imageId)}/content`,
    message: streamRequestHeader(ImageContentRequest, { imageId, size: SIZES[size] }),
  };
}
