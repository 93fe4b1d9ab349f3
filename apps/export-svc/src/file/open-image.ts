import { ServiceError } from '@esd/service/errors';
import type { OpenImage } from './record-images.ts';

/** Opens the content of an image. NOT_IMPLEMENTED: no published record has images yet. */
export const openImage: OpenImage = () =>
  Promise.reject(new ServiceError('NOT_IMPLEMENTED', 'Images of records are not available yet.'));
