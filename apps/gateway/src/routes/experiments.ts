import { catalogSchema } from '@esd/api/catalog-schema';
import { attachImage, listExperimentImages } from '@esd/api/images';
import { jsonBytes } from '../http/body/json-body.ts';
import type { Route } from '../http/route.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { serve } from '../http/serve.ts';

// Above the limit of a whole record, so that a definition that is too large gets its specific error.
const IMAGE_BYTES = 512 * 1024;

export function experimentImageRoutes({ recordImages }: Pick<Upstream, 'recordImages'>): Route[] {
  return [
    serve(attachImage, {
      targets: ['esd.submission.v1.RecordImageService'],
      body: jsonBytes(IMAGE_BYTES, catalogSchema('FiberImageDTO')),
      handle: async ({ parameters: { experimentId: recordId }, body, call }, response) => {
        const { imageJson, entityTag } = await recordImages.attachImage({ recordId, imageJson: body }, call);
        response
          .status(201)
          .set({ ETag: `"${entityTag}"`, 'Cache-Control': 'no-store' })
          .type('json')
          .end(imageJson);
      },
    }),
    serve(listExperimentImages, {
      targets: ['esd.submission.v1.RecordImageService'],
      handle: async ({ parameters: { experimentId: recordId }, call }, response) => {
        const { imagesJson } = await recordImages.listImages({ recordId }, call);
        response.set('Cache-Control', 'no-store').type('json').end(imagesJson);
      },
    }),
  ];
}
