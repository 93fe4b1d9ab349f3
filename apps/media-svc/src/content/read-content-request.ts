import { ImageContentRequest, ImageSize } from '@esd/proto/esd/media/v1/media';
import type { EndpointCall } from '@esd/service/http/internal-endpoints';
import { readStreamRequest } from '@esd/service/http/stream-request';
import type { Variant } from '../image/variants.ts';

const SIZES: Readonly<Record<ImageSize, Variant>> = {
  [ImageSize.IMAGE_SIZE_UNSPECIFIED]: 'full',
  [ImageSize.IMAGE_SIZE_MEDIUM]: 'medium',
  [ImageSize.IMAGE_SIZE_THUMB]: 'thumb',
};

/** Reads which bytes are requested from the message in the header. Throws INVALID_REQUEST. */
export function readContentRequest({ streamRequest }: Pick<EndpointCall, 'streamRequest'>): {
  imageId: string;
  variant: Variant;
} {
  const { imageId, size } = readStreamRequest(ImageContentRequest, streamRequest);
  return { imageId, variant: SIZES[size] };
}
