import type { Readable } from 'node:stream';
import { z } from 'zod';

const imageList = z.array(
  z.object({ imageId: z.string(), imageType: z.string().optional(), imageDefinition: z.unknown().optional() }),
);

/** An image as a record names it. */
export type RecordImage = z.output<typeof imageList>[number] & { recordId: number };

/** The bytes of an image, a PNG. */
export type OpenImage = (imageId: string, signal: AbortSignal) => Promise<Readable>;

/** The images of a record, in its order. Throws when they are none. */
export function imagesOf(recordId: number, fiberImages: unknown): RecordImage[] {
  return imageList.parse(fiberImages ?? []).map((image) => ({ recordId, ...image }));
}

/** Where the image lies in an archive: a folder a record. */
export function imagePath({ recordId, imageId }: RecordImage): string {
  return `images/${recordId}/${imageId}.png`;
}
