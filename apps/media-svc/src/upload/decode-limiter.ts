import type { ClientKey } from '@esd/service/quota-client';
import { ServiceError } from '@esd/service/errors';
import { fairQueue } from '@esd/background/fair-queue';
import { MAX_MEMORY_BYTES, type Inspected } from './inspect-image.ts';

interface DecodeRequest {
  client: ClientKey;
  image: Pick<Inspected, 'memoryBytes' | 'decodedBytes'>;
  signal: AbortSignal;
}

/** Limits the number and duration of concurrent decodings; clients take turns. */
export interface DecodeLimiter {
  /** Runs work that ends by `until` (ms since 1970). Throws the errors of FairQueue, and UNAVAILABLE after a wait of 25 s. */
  run<Result>(turn: DecodeRequest, work: (until: number) => Promise<Result>): Promise<Result>;
}

const RETRY_SECONDS = 5;

/** The slowest content is compressed at about 7 MB/s. */
const SMALL_BYTES = 16_000_000;
/**
 * The maximum wait, and the maximum times to encode an image, which the library rounds up to whole seconds. Their sum is
 * shorter than the timeout of the gateway.
 */
const LIMITS = { queuedMs: 25_000, smallMs: 4_000, largeMs: 10_000 };

/**
 * Decodes one large image at a time, because it may take 10 s or most of the memory. Small ones take at most 5 s. The limits
 * are not processor time, because the library decodes in threads that Node cannot measure.
 */
export function decodeLimiter(decoders: number, { queuedMs, smallMs, largeMs } = LIMITS): DecodeLimiter {
  const large = fairQueue({ queue: 'large-images' });
  // The weight fits the largest image and a small one.
  const all = fairQueue({ queue: 'images', concurrency: decoders, maxWeight: MAX_MEMORY_BYTES * 1.5 });
  return {
    run: async ({ client, image, signal }, work) => {
      const late = new AbortController();
      const timer = setTimeout(() => {
        const message = `Too many images are waiting to be decoded. Try again in ${RETRY_SECONDS} s.`;
        late.abort(new ServiceError('UNAVAILABLE', message, { retryAfterSeconds: RETRY_SECONDS }));
      }, queuedMs);
      const queued = { client, weight: image.memoryBytes, signal: AbortSignal.any([signal, late.signal]) };
      const decode = async (ms: number) => {
        clearTimeout(timer);
        return await work(Date.now() + ms);
      };
      try {
        if (image.decodedBytes <= SMALL_BYTES && image.memoryBytes <= MAX_MEMORY_BYTES / 2) {
          return await all.run(queued, () => decode(smallMs));
        }
        return await large.run(queued, () => all.run(queued, () => decode(largeMs)));
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
