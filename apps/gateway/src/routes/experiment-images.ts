import { z } from 'zod';
import { catalogueSchema } from '../catalogue-schema.ts';
import { jsonBytes } from '../json-body.ts';
import { refusalError } from '../refusal.ts';
import { recordIdText, route, type Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';

// Beyond the size of a whole record, so that what is too large for one has an answer that says so.
const IMAGE_BYTES = 512 * 1024;

const parameters = z.object({ experimentId: recordIdText });
const image = catalogueSchema('FiberImage');

/** Images of the caller's own records. */
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
          'Adds an uploaded image to one of the caller’s records; the record awaits review, and a public one shows the image once that is approved. What is left out is taken from the upload. Of an image that the record has already it replaces imageType and imageDefinition.',
        returns: 'The record’s image.',
        status: 201,
        answerHeaders: { ETag: 'The record’s entity tag now.' },
        errors: ['RECORD_NOT_FOUND'],
        example: {
          parameters: { experimentId: 1 },
          body: { imageId: '0197a0b0-0000-7000-8000-00000000000a', imageType: 'SEM' },
        },
      },
      parameters,
      body: jsonBytes(IMAGE_BYTES, catalogueSchema('FiberImageDTO')),
      answer: image,
      handle: async ({ parameters: { experimentId: recordId }, body, call }, response) => {
        const { outcome } = await recordImages.attachImage({ recordId, imageJson: body }, call);
        if (outcome?.$case === 'refusal') throw refusalError(outcome.value);
        if (!outcome) throw new Error('an attached image without an outcome');
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
        summary: 'Images of one of the caller’s records',
        returns: 'The images of its newest revision.',
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
