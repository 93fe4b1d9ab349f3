import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import { formBody } from '../form-body.ts';
import { route, type Route } from '../route.ts';
import { success } from '../success.ts';
import type { Upstream } from '../upstream.ts';

// A file of 20 MB, and the texts beside it.
const FORM_BYTES = 20 * 1024 * 1024 + 64 * 1024;

const uploadForm = z
  .strictObject({
    file: z.string().meta({
      format: 'binary',
      description: 'A PNG, JPEG, TIFF or WebP image of at most 20 MB and 100 megapixels, with 8 or 16 bits a sample.',
    }),
    imageType: z.string().max(200).optional().meta({ description: 'What the image is, such as SEM.' }),
    imageDefinition: z.string().optional().meta({
      description:
        'A JSON object of at most 4 KB; `pixelSize` (with `pixelSizeUnit`, nm unless given) is the edge of a pixel.',
    }),
  })
  .meta({ id: 'ImageUpload' });
const uploaded = z
  .strictObject({
    imageId: z.uuid().meta({ description: 'Who knows it may read the image, and delete it until a record has it.' }),
    imageType: z.string().optional(),
    imageDefinition: z.record(z.string(), z.unknown()).optional(),
    width: z.int().meta({ description: 'Of the stored PNG, in pixels.' }),
    height: z.int(),
    bytes: z.int().meta({ description: 'Of the stored PNG.' }),
    sha256: z.string().meta({ description: 'Of the stored PNG, hex.' }),
    contentUrl: z.string(),
    warnings: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })),
  })
  .meta({ id: 'UploadedImage' });
const EXAMPLE = { parameters: { imageId: '5e1b6f0c-3a51-4c7e-9f57-2f4f2a9d1c11' } };
const imageId = z.string().meta({ description: 'The id that the upload was answered with.' });
const contentQuery = z.object({
  size: z.enum(['full', 'medium', 'thumb'], 'must be full, medium or thumb').optional().meta({
    description: 'medium: at most 1024 pixels a side, thumb: at most 256; the whole image unless given.',
  }),
});

/** Images, until and after a record has them. */
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
          'The image is judged by its content, turned upright and stored as PNG without metadata but its scale; 16 bits a sample stay, CMYK becomes sRGB, of several pages or frames the first is kept. The resolution of a TIFF becomes `imageDefinition.pixelSize` where it is that of a microscope. No record has it yet: one that none has after 7 days is deleted.',
        returns: 'The image.',
        status: 201,
      },
      body: formBody(FORM_BYTES, uploadForm),
      answer: uploaded,
      handle: ({ request, call }, response) => imageBytes(request, response, call),
    }),
    route({
      method: 'get',
      path: '/images/:imageId/content',
      caller: 'ignored',
      describe: {
        tag: 'Images',
        summary: 'The bytes of an image',
        details: 'Immutable once a record that has it is public; until then no cache may keep it.',
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
      handle: ({ request, call }, response) => imageBytes(request, response, call),
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
          'While no record has it, whoever knows its id may. Of a record it is the owner, or an ADMIN; where the image was ever public, that is an edit of the record which awaits approval, and the bytes stay.',
        returns: 'It is deleted.',
        alternative: { status: 202, returns: 'The record without it awaits approval.', answer: success },
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
          throw new ServiceError('AUTH_REQUIRED', 'A record has this image: its owner or an ADMIN may delete it.');
        }
        const { awaitsApproval, message } = await recordImages.removeImage({ recordId, ...parameters }, call);
        response.status(awaitsApproval ? 202 : 200).json({ success: true, message });
      },
    }),
  ];
}
