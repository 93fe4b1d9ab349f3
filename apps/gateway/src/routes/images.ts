import { success } from '@esd/api/success';
import { z } from 'zod';
import { ImageContentRequest, ImageSize } from '@esd/proto/esd/media/v1/media';
import { ServiceError } from '@esd/service/errors';
import { streamRequestHeader } from '@esd/service/http/stream-request';
import { formBody } from '../http/body/form-body.ts';
import { route, type Route } from '../http/route.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { InnerRequest } from '../upstream/byte-proxy.ts';

// A file of 20 MB plus the texts of the form.
const FORM_BYTES = 20 * 1024 * 1024 + 64 * 1024;

const uploadForm = z
  .strictObject({
    file: z.string().meta({
      format: 'binary',
      description: 'A PNG, JPEG, TIFF or WebP image of at most 20 MB and 100 megapixels, with 8 or 16 bits per sample.',
    }),
    imageType: z.string().max(200).optional().meta({ description: 'The kind of image, such as SEM.' }),
    imageDefinition: z.string().optional().meta({
      description:
        'A JSON object of at most 4 KB; `pixelSize` is the edge length of a pixel in `pixelSizeUnit` (nm by default).',
    }),
  })
  .meta({ id: 'ImageUpload' });
const uploaded = z
  .strictObject({
    imageId: z.uuid().meta({
      description: 'Anyone who knows the id can read the image, and can delete it until it is attached to a record.',
    }),
    imageType: z.string().optional(),
    imageDefinition: z.record(z.string(), z.unknown()).optional(),
    width: z.int().meta({ description: 'The width of the stored PNG in pixels.' }),
    height: z.int(),
    bytes: z.int().meta({ description: 'The size of the stored PNG.' }),
    sha256: z.string().meta({ description: 'SHA-256 of the stored PNG in hexadecimal.' }),
    contentUrl: z.string(),
    warnings: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })),
  })
  .meta({ id: 'UploadedImage' });
const EXAMPLE = { parameters: { imageId: '5e1b6f0c-3a51-4c7e-9f57-2f4f2a9d1c11' } };
const imageId = z.string().meta({ description: 'The id that the upload returned.' });
const contentQuery = z.object({
  size: z.enum(['full', 'medium', 'thumb']).optional().meta({
    description:
      'The size: `medium` has at most 1024 pixels per side, `thumb` at most 256. Defaults to the full image.',
  }),
});

export function imageRoutes({
  images,
  imageBytes,
  recordImages,
}: Pick<Upstream, 'images' | 'imageBytes' | 'recordImages'>): Route[] {
  return [
    route({
      method: 'post',
      path: '/images/upload',
      caller: 'optional',
      targets: ['http:/images'],
      describe: {
        tag: 'Images',
        summary: 'Upload an image',
        details:
          'The type is detected from the content. The image is rotated upright and stored as PNG without metadata except its scale. Samples of 16 bits are preserved, CMYK is converted to sRGB, and only the first page or frame is stored. The resolution of a TIFF becomes `imageDefinition.pixelSize` if it is plausible for a microscope. An image that is not attached to a record within 7 days is deleted.',
        returns: 'The image.',
        status: 201,
        example: { body: { file: 'fibers.png', imageType: 'SEM' } },
      },
      body: formBody(FORM_BYTES, uploadForm),
      answer: uploaded,
      handle: ({ request, call }, response) => imageBytes({ path: '/images/upload' }, request, response, call),
    }),
    route({
      method: 'get',
      path: '/images/:imageId/content',
      caller: 'ignored',
      describe: {
        tag: 'Images',
        summary: 'Download an image',
        details: 'The image is immutable once a record with it is public. Until then, caches must not store it.',
        returns: 'The PNG.',
        otherTypes: ['image/png'],
        answerHeaders: { 'Content-Disposition': 'The name of the file.' },
        revalidates: true,
        ranges: true,
        errors: ['IMAGE_NOT_FOUND'],
        example: EXAMPLE,
      },
      query: contentQuery,
      parameters: z.object({ imageId }),
      handle: ({ parameters, query: { size }, request, call }, response) =>
        imageBytes(contentRequest(parameters.imageId, size), request, response, call),
    }),
    route({
      method: 'delete',
      path: '/images/:imageId',
      caller: 'optional',
      targets: ['esd.media.v1.ImageService', 'esd.submission.v1.RecordImageService'],
      describe: {
        tag: 'Images',
        summary: 'Delete an image',
        details:
          'Anyone who knows the id can delete an image that is not attached to a record. The owner of the record or an ADMIN can delete an attached image. If the image was ever public, the deletion is an edit of the record that awaits approval, and the file is retained.',
        returns: 'A confirmation that the image is deleted.',
        alternative: { status: 202, returns: 'The record without the image awaits approval.', answer: success },
        errors: ['AUTH_REQUIRED', 'IMAGE_NOT_FOUND', 'CONFLICT'],
        example: EXAMPLE,
      },
      parameters: z.object({ imageId }),
      answer: success,
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
