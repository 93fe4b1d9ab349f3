import type { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import { acceptBody, hasBody } from '../has-body.ts';
import type { BodyReader } from '../route.ts';

/** Checks type and length of a proxied form. Throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, or INVALID_REQUEST if empty. */
export function formBody(limit: number, schema: z.ZodType): BodyReader<undefined> {
  return {
    schema,
    required: true,
    limit,
    isPassedOn: true,
    mediaType: 'multipart/form-data',
    read: (request) => {
      const refuse = (error: ServiceError): never => {
        // Discards the rest of the body, within the time limit of the request.
        request.resume();
        throw error;
      };
      if (!hasBody(request)) refuse(new ServiceError('INVALID_REQUEST', 'The body is empty; send a form.'));
      if (!/^multipart\/form-data[ \t]*;/i.test(request.headers['content-type'] ?? '')) {
        refuse(new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be multipart/form-data with a boundary.'));
      }
      if (Number(request.headers['content-length'] ?? 0) > limit) {
        refuse(new ServiceError('PAYLOAD_TOO_LARGE', `The body must have at most ${limit} bytes.`));
      }
      acceptBody(request);
      return Promise.resolve(undefined);
    },
  };
}
