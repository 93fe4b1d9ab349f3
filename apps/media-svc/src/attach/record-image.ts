import { ServiceError } from '@esd/service/errors';

/** An image and its current or future record. */
export interface RecordImage {
  imageId: string;
  recordId: number;
}

const MAX_ITEMS = 10_000;

/** Throws INVALID_REQUEST for more than 10,000 items in one call. */
export function refuseTooMany(items: readonly unknown[]): void {
  if (items.length > MAX_ITEMS) {
    throw new ServiceError('INVALID_REQUEST', `A call may have at most ${MAX_ITEMS} images, got ${items.length}.`);
  }
}
