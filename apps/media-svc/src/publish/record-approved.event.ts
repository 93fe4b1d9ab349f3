import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import { z } from 'zod';

export interface PublishedImages {
  recordId: number;
  imageIds: string[];
  approvedAt: Date;
}

const body = z.object({
  fiberImages: z.array(z.object({ imageId: z.uuid() })).optional(),
});
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes the images of `esd.record.approved.v1`. Throws an Error for any other body. */
export function decodePublishedImages(bytes: Uint8Array): PublishedImages {
  const { recordId, recordJson, approvedAt } = RecordApproved.decode(bytes);
  if (recordId < 1 || !approvedAt) throw new Error(`record.approved of record ${recordId} is incomplete`);
  const { fiberImages = [] } = body.parse(JSON.parse(utf8.decode(recordJson)));
  return { recordId, imageIds: fiberImages.map(({ imageId }) => imageId), approvedAt };
}
