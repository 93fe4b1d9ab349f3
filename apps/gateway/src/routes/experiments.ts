import { z } from 'zod';
import { catalogSchema } from '@esd/api/catalog-schema';
import { jsonBytes } from '../http/body/json-body.ts';
import { refusalError } from '../upstream/refusal.ts';
import { idText } from '@esd/api/number-text';
import { route, type Route } from '../http/route.ts';
import type { Upstream } from '../upstream/upstream.ts';

// Above the limit of a whole record, so that a definition that is too large gets its specific error.
const IMAGE_BYTES = 512 * 1024;

const parameters = z.object({ experimentId: idText });
const image = catalogSchema('FiberImage');

export function experimentImageRoutes({ recordImages }: Pick<Upstream, 'recordImages'>): Route[] {
  return [
    route({
      method: 'post',
      path: '/experiments/:experimentId/images',
      caller: 'required',
      targets: ['esd.submission.v1.RecordImageService'],
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
      body: jsonBytes(IMAGE_BYTES, catalogSchema('FiberImageDTO')),
      answer: image,
      handle: async ({ parameters: { experimentId: recordId }, body, call }, response) => {
        const { outcome } = await recordImages.attachImage({ recordId, imageJson: body }, call);
        if (outcome?.$case === 'refusal') throw refusalError(outcome.value);
        if (!outcome) throw new Error('the response has no outcome');
        const { imageJson, entityTag } = outcome.value;
        response
          .status(201)
          .set({ ETag: `"${entityTag}"`, 'Cache-Control': 'no-store' })
          .type('json')
          .end(imageJson);
      },
    }),
    route({
      method: 'get',
      path: '/experiments/:experimentId/images',
      caller: 'required',
      targets: ['esd.submission.v1.RecordImageService'],
      describe: {
        tag: 'Images',
        summary: 'List the images of a record of the caller',
        returns: 'The images of the newest revision.',
        errors: ['RECORD_NOT_FOUND'],
        example: { parameters: { experimentId: 1 } },
      },
      parameters,
      answer: z.array(image),
      handle: async ({ parameters: { experimentId: recordId }, call }, response) => {
        const { imagesJson } = await recordImages.listImages({ recordId }, call);
        response.set('Cache-Control', 'no-store').type('json').end(imagesJson);
      },
    }),
  ];
}
