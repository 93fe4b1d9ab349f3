import { ServiceError } from '@esd/service/errors';

/** An image and the record that it belongs to, or is to belong to. */
export interface ImageOfRecord {
  imageId: string;
  recordId: number;
}

const MOST = 10_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isImageId(text: string): boolean {
  return UUID.test(text);
}

/** Throws INVALID_REQUEST for more than 10,000 items in one call. */
export function refuseTooMany(items: readonly unknown[]): void {
  if (items.length > MOST) {
    throw new ServiceError('INVALID_REQUEST', `${items.length} images are too many for one call; ${MOST} are not.`);
  }
}
