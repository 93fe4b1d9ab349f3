import type { Readable } from 'node:stream';
import { z } from 'zod';

const imageList = z.array(
  z.object({ imageId: z.string(), imageType: z.string().optional(), imageDefinition: z.unknown().optional() }),
);

export type RecordImage = z.output<typeof imageList>[number] & { recordId: number };

/** Opens an image as a PNG stream. */
export type OpenImage = (imageId: string, signal: AbortSignal) => Promise<Readable>;

/** Returns the images of a record. Throws if the list is invalid. */
export function imagesOf(recordId: number, fiberImages: unknown): RecordImage[] {
  return imageList.parse(fiberImages ?? []).map((image) => ({ recordId, ...image }));
}

export function imagePath({ recordId, imageId }: RecordImage): string {
  return `images/${recordId}/${imageId}.png`;
}
