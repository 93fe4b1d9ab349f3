import { ServiceError } from '@esd/service/errors';
import type { ImageKeeper, ImageOfRecord, RefusedImage, StoredImage } from '../src/images/image-keeper.ts';

let made = 0;

/**
 * Images and to which records they are attached, kept under the rules of media-svc, which has not heard yet of what was
 * approved.
 */
export class ImageShelf implements ImageKeeper {
  readonly images = new Map<string, StoredImage>();
  away = false;
  /** Claims are made, and nobody hears of it. */
  losesAnswers = false;
  /** Called when the next claim has been made and nobody knows of it yet, once. */
  afterClaim: (() => Promise<void>) | undefined;
  /** Called before the next claim, once. */
  beforeClaim: (() => void) | undefined;

  /** Puts an image on the shelf, 40 by 30 pixels; returns its id. */
  upload(image: Partial<StoredImage> = {}): string {
    made += 1;
    const imageId = `0197a0b0-0000-7000-8000-${String(made).padStart(12, '0')}`;
    const upload = { imageType: undefined, imageDefinition: undefined, width: 40, height: 30, recordId: undefined };
    this.images.set(imageId, { ...upload, ...image });
    return imageId;
  }

  recordOf(imageId: string): number | undefined {
    return this.images.get(imageId)?.recordId;
  }

  /** Makes an image one of a record, or of none. */
  attach(imageId: string, recordId: number | undefined): void {
    const image = this.images.get(imageId);
    if (image) this.images.set(imageId, { ...image, recordId });
  }

  describe(imageIds: readonly string[]): Promise<Map<string, StoredImage>> {
    if (imageIds.length === 0) return Promise.resolve(new Map<string, StoredImage>());
    return this.#here(() => new Map([...this.images].filter(([id]) => imageIds.includes(id))));
  }

  async claim(claims: readonly ImageOfRecord[]): Promise<RefusedImage[]> {
    if (claims.length === 0) return [];
    this.beforeClaim?.();
    this.beforeClaim = undefined;
    const refused = await this.#here(() => {
      const refused = claims.flatMap((claim): RefusedImage[] => {
        const image = this.images.get(claim.imageId);
        if (!image) return [{ ...claim, problem: 'unknown' }];
        const isFree = image.recordId === undefined || image.recordId === claim.recordId;
        return isFree ? [] : [{ ...claim, problem: 'taken' }];
      });
      if (refused.length === 0) for (const { imageId, recordId } of claims) this.attach(imageId, recordId);
      if (this.losesAnswers) throw new ServiceError('UNAVAILABLE', 'The answer was lost.');
      return refused;
    });
    const { afterClaim } = this;
    this.afterClaim = undefined;
    await afterClaim?.();
    return refused;
  }

  release(images: readonly ImageOfRecord[]): Promise<void> {
    if (images.length === 0) return Promise.resolve();
    return this.#here(() => {
      for (const { imageId } of this.#theirs(images)) this.attach(imageId, undefined);
    });
  }

  erase(images: readonly ImageOfRecord[]): Promise<void> {
    if (images.length === 0) return Promise.resolve();
    return this.#here(() => {
      for (const { imageId } of this.#theirs(images)) this.images.delete(imageId);
    });
  }

  #theirs(images: readonly ImageOfRecord[]): ImageOfRecord[] {
    return images.filter(({ imageId, recordId }) => this.recordOf(imageId) === recordId);
  }

  #here<T>(work: () => T): Promise<T> {
    if (this.away) return Promise.reject(new ServiceError('UNAVAILABLE', 'media-svc is away.'));
    return Promise.resolve().then(work);
  }
}
