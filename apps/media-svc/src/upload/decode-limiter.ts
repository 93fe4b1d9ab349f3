import type { ClientKey } from '@esd/service/auth/client';
import { ServiceError } from '@esd/service/errors';
import { fairQueue } from '@esd/background/fair-queue';
import { HELD_BYTES, type Inspected } from './inspect-image.ts';

interface DecodeRequest {
  client: ClientKey;
  image: Pick<Inspected, 'heldBytes' | 'decodedBytes'>;
  signal: AbortSignal;
}

/** Bounds how many images are decoded at once and for how long; clients take turns. */
export interface DecodeLimiter {
  /**
   * Does the work when its turn comes. Throws what `FairQueue.run` throws, and UNAVAILABLE when its turn does not come within 25 s.
   * @param work is to end by `until`, in milliseconds since 1970.
   */
  run<Result>(turn: DecodeRequest, work: (until: number) => Promise<Result>): Promise<Result>;
}

const MAX_WAITING = 64;
const MAX_LARGE_WAITING = 16;
// With the longest decoding that still ends before the gateway gives up.
const QUEUED_MS = 25_000;
const RETRY_SECONDS = 5;

/**
 * An image of so many decoded bytes is small: the slowest content is compressed at some 7 MB/s. A second more may pass than is
 * allowed, since the library counts whole seconds.
 */
const SMALL_BYTES = 16_000_000;
const SMALL_MS = 4_000;
const LARGE_MS = 10_000;

/**
 * Makes a limiter of so many decoders. Of large images, which may take 10 s or most of the memory, one at a time is decoded:
 * the other decoders stay free for small ones, of which none takes longer than 5 s.
 */
export function decodeLimiter(decoders: number): DecodeLimiter {
  const large = fairQueue({
    name: 'large images',
    concurrency: 1,
    maxWaiting: MAX_LARGE_WAITING,
    retryAfterSeconds: RETRY_SECONDS,
  });
  const all = fairQueue({
    name: 'images',
    concurrency: decoders,
    maxWaiting: MAX_WAITING,
    // The largest image, and a small one at the same time.
    maxWeight: HELD_BYTES * 1.5,
    retryAfterSeconds: RETRY_SECONDS,
  });
  return {
    run: async ({ client, image, signal }, work) => {
      const late = new AbortController();
      const timer = setTimeout(() => {
        const message = `Too many images are waiting to be decoded at the moment; try again in ${RETRY_SECONDS} s.`;
        late.abort(new ServiceError('UNAVAILABLE', message, undefined, RETRY_SECONDS));
      }, QUEUED_MS);
      const queued = { client, weight: image.heldBytes, signal: AbortSignal.any([signal, late.signal]) };
      const decode = async (ms: number) => {
        clearTimeout(timer);
        return await work(Date.now() + ms);
      };
      try {
        if (image.decodedBytes <= SMALL_BYTES && image.heldBytes <= HELD_BYTES / 2) {
          return await all.run(queued, () => decode(SMALL_MS));
        }
        return await large.run(queued, () => all.run(queued, () => decode(LARGE_MS)));
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
