import { z } from 'zod';
import { catalogSchema } from './catalog-schema.ts';
import { idText } from './number-text.ts';
import { operation } from './operation.ts';
import { success } from './success.ts';

export const parameters = z.object({ experimentId: idText });

const image = catalogSchema('FiberImage');

export const attachImage = operation({
  method: 'post',
  path: '/experiments/{experimentId}/images',
  caller: 'required',
  describe: {
    tag: 'Images',
    summary: 'Attach an image to a record',
    details:
      'Attaches an uploaded image to a record of the caller. The record awaits review, and its approval makes the image public. Omitted members are taken from the upload. If the image is already attached, `imageType` and `imageDefinition` are replaced.',
    returns: 'The image of the record.',
    status: 201,
    answerHeaders: { ETag: 'The entity tag of the record after the change.' },
    errors: ['RECORD_NOT_FOUND'],
    example: {
      parameters: { experimentId: 1 },
      body: { imageId: '0197a0b0-0000-7000-8000-00000000000a', imageType: 'SEM' },
    },
  },
  parameters,
  response: image,
});

export const listExperimentImages = operation({
  method: 'get',
  path: '/experiments/{experimentId}/images',
  caller: 'required',
  describe: {
    tag: 'Images',
    summary: 'List the images of a record of the caller',
    returns: 'The images of the newest revision.',
    errors: ['RECORD_NOT_FOUND'],
    example: { parameters: { experimentId: 1 } },
  },
  parameters,
  response: z.array(image),
});

const uploaded = z
  .strictObject({
    imageId: z.uuid().meta({
      description: 'Anyone who knows the id can read the image, and can delete it until it is attached to a record.',
    }),
    imageType: z.string().optional(),
    imageDefinition: z.record(z.string(), z.unknown()).optional(),
    width: z.int().meta({ description: 'The width of the stored PNG in pixels.' }),
    height: z.int(),
    stretched: z.literal(true).optional().meta({
      description:
        'Present if `medium` and `thumb` show the range of gray values in use as the full range. The full image is unchanged.',
    }),
    bytes: z.int().meta({ description: 'The size of the stored PNG.' }),
    sha256: z.string().meta({ description: 'SHA-256 of the stored PNG in hexadecimal.' }),
    contentUrl: z.string(),
    warnings: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })),
  })
  .meta({ id: 'UploadedImage' });

const EXAMPLE = { parameters: { imageId: '5e1b6f0c-3a51-4c7e-9f57-2f4f2a9d1c11' } };

export const imageId = z.string().meta({ description: 'The id that the upload returned.' });

const contentQuery = z.object({
  size: z.enum(['full', 'medium', 'thumb']).optional().meta({
    description:
      'The size: `medium` has at most 1024 pixels per side, `thumb` at most 256. Defaults to the full image.',
  }),
});

export const uploadImage = operation({
  method: 'post',
  path: '/images/upload',
  caller: 'optional',
  describe: {
    tag: 'Images',
    summary: 'Upload an image',
    details:
      'The type is detected from the content. The image is rotated upright and stored as PNG without metadata except its scale. Samples of 16 bits are preserved. Of several pages, the first with the largest area is stored. A scale that the file states in a unit becomes `imageDefinition.pixelSize`; `warnings` name its source, or the statements that contradict each other. An image that is not attached to a record within 7 days is deleted.',
    returns: 'The image.',
    status: 201,
    example: { body: { file: 'fibers.png', imageType: 'SEM' } },
  },
  response: uploaded,
});

export const getImageContent = operation({
  method: 'get',
  path: '/images/{imageId}/content',
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
});

export const deleteImage = operation({
  method: 'delete',
  path: '/images/{imageId}',
  caller: 'optional',
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
  response: success,
});
