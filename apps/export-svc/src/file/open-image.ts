import { Readable } from 'node:stream';
import { ServiceError } from '@esd/service/errors';
import type { ServiceProof } from '@esd/service/service-proof';
import type { OpenImage } from './record-images.ts';

// An image has up to 100 megapixels.
const LONGEST_MS = 60_000;

/**
 * Opens the content of images at the byte port of media-svc (base URLs of its copies, asked in turn). UNAVAILABLE when
 * no copy gives it, also when it is not there: an image of a published record is kept for ever.
 */
export function imageOpener(copies: readonly string[], proof: ServiceProof): OpenImage {
  let next = 0;
  return async (imageId, signal) => {
    const first = next++;
    let failure: unknown;
    for (let tried = 0; tried < copies.length; tried += 1) {
      signal.throwIfAborted();
      const copy = copies[(first + tried) % copies.length] ?? '';
      try {
        const answer = await fetch(`${copy}/images/${encodeURIComponent(imageId)}/content`, {
          headers: { ...proof('http:/images') },
          signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]),
        });
        if (answer.status === 200 && answer.body) return Readable.fromWeb(answer.body);
        await answer.body?.cancel();
        failure = new Error(`image ${imageId}: media-svc answers ${answer.status}`);
      } catch (error) {
        failure = error;
      }
    }
    throw new ServiceError('UNAVAILABLE', 'The images cannot be read at the moment; try again.', failure);
  };
}
