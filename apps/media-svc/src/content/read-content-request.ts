import { ImageContentRequest, ImageSize } from '@esd/proto/esd/media/v1/media';
import { ServiceError } from '@esd/service/errors';
import type { EndpointCall } from '@esd/service/http/internal-endpoints';
import { readStreamRequest } from '@esd/service/http/stream-request';
import { type Variant, VARIANTS } from '../image/variants.ts';

const SIZES: Readonly<Record<ImageSize, Variant>> = {
  [ImageSize.IMAGE_SIZE_UNSPECIFIED]: 'full',
  [ImageSize.IMAGE_SIZE_MEDIUM]: 'medium',
  [ImageSize.IMAGE_SIZE_THUMB]: 'thumb',
};

/**
 * Reads which bytes are asked for: the message in the header, or, from processes of the former release, the path and the query
 * `size` (this goes with the next release). Throws INVALID_REQUEST, INVALID_PARAMETER.
 */
export function readContentRequest({
  streamRequest,
  parameters,
  query,
}: Pick<EndpointCall, 'streamRequest' | 'parameters' | 'query'>): { imageId: string; variant: Variant } {
  if (streamRequest !== undefined) {
    const { imageId, size } = readStreamRequest(ImageContentRequest, streamRequest);
    return { imageId, variant: SIZES[size] };
  }
  const size = query.get('size') ?? 'full';
  const variant = VARIANTS.find((one) => one === size);
  if (variant) return { imageId: parameters['id'] ?? '', variant };
  const message = `size=${size.slice(0, 60)}: must be ${VARIANTS.slice(0, -1).join(', ')} or ${VARIANTS.at(-1) ?? ''}.`;
  throw new ServiceError('INVALID_PARAMETER', message);
}
