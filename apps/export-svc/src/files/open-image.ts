import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { ServiceError } from '@esd/service/errors';
import { ImageContentRequest, ImageSize } from '@esd/proto/esd/media/v1/media';
import type { ServiceAssertions } from '@esd/service/auth/service-assertion';
import type { Tls } from '@esd/service/auth/tls';
import { endHttpSpan, startHttpCall } from '@esd/service/http/http-span';
import { streamRequestHeader } from '@esd/service/http/stream-request';
import { TRACEPARENT } from '@esd/service/health/traces';
import { METADATA } from '@esd/service/rpc/rpc-metadata';
import type { OpenImage } from './record-images.ts';

// Long enough for an image of 100 megapixels.
const MAX_MS = 60_000;

/**
 * Returns a reader of images that uses the replicas of media-svc in turn. It throws UNAVAILABLE if no replica returns
 * the image. This includes a missing image, because published images are never deleted.
 */
export function imageOpener(
  replicas: readonly string[],
  { serviceAssertions, tls }: { serviceAssertions: ServiceAssertions; tls: Tls | undefined },
): OpenImage {
  const agent = tls ? new https.Agent({ keepAlive: true, ca: tls.ca }) : new http.Agent({ keepAlive: true });
  const { request } = tls ? https : http;
  let next = 0;
  return async (imageId, signal) => {
    const message = streamRequestHeader(ImageContentRequest, { imageId, size: ImageSize.IMAGE_SIZE_UNSPECIFIED });
    const first = next++;
    let failure: unknown;
    for (let tried = 0; tried < replicas.length; tried += 1) {
      signal.throwIfAborted();
      const replica = replicas[(first + tried) % replicas.length] ?? '';
      const span = startHttpCall('GET', replica);
      try {
        const url = `${replica}/images/${encodeURIComponent(imageId)}/content`;
        const options = {
          agent,
          headers: {
            ...serviceAssertions('http:/images'),
            [METADATA.streamRequest]: message,
            ...(span.traceparent === undefined ? {} : { [TRACEPARENT]: span.traceparent }),
          },
          signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]),
        };
        const answer = await new Promise<IncomingMessage>((resolve, reject) => {
          request(url, options, resolve).on('error', reject).end();
        });
        endHttpSpan(span, answer.statusCode);
        if (answer.statusCode === 200) return answer;
        answer.resume();
        failure = new Error(`image ${imageId}: media-svc returned ${String(answer.statusCode)}`);
      } catch (error) {
        endHttpSpan(span, undefined, error);
        failure = error;
      }
    }
    throw new ServiceError('UNAVAILABLE', 'The images cannot be read at the moment; try again.', { cause: failure });
  };
}
