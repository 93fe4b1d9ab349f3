import { ServiceError } from '@esd/service/errors';
import type { ImageClient, RecordImage, RefusedImage, Reservation, StoredImage } from '../src/records/image-client.ts';

let made = 0;

/** An in-memory media-svc without the effects of approvals. */
export class InMemoryImages implements ImageClient {
  readonly images = new Map<string, StoredImage>();
  /** Names of reservations, by image id. */
  readonly reservations = new Map<string, string>();
  isDown = false;
  /** Method that does its work, but loses its response. */
  losesResponsesOf: 'reserve' | 'claim' | undefined;
  /** Called once, after the next reservation and before its response. */
  afterReserve: (() => Promise<void>) | undefined;
  /** Called once, before the next reservation. */
  beforeReserve: (() => void) | undefined;
  #blocks = new Map<string, { reach: () => void; ended: Promise<void> }>();

  /** Blocks the next call of a method until `end` is called. */
  block(method: 'reserve' | 'claim'): { reached: Promise<void>; end: () => void } {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#blocks.set(method, { reach, ended });
    return { reached, end };
  }

  upload(image: Partial<StoredImage> = {}): string {
    made += 1;
    const imageId = `0197a0b0-0000-7000-8000-${String(made).padStart(12, '0')}`;
    const described = { imageType: undefined, imageDefinition: undefined, recordId: undefined };
    this.images.set(imageId, { ...described, width: 40, height: 30, stretched: false, ...image });
    return imageId;
  }

  recordOf(imageId: string): number | undefined {
    return this.images.get(imageId)?.recordId;
  }

  attach(imageId: string, recordId: number | undefined): void {
    const image = this.images.get(imageId);
    if (image) this.images.set(imageId, { ...image, recordId });
  }

  describe(imageIds: readonly string[]): Promise<Map<string, StoredImage>> {
    if (imageIds.length === 0) return Promise.resolve(new Map<string, StoredImage>());
    return this.#here(() => new Map([...this.images].filter(([id]) => imageIds.includes(id))));
  }

  async reserve({ name, images }: Reservation): Promise<RefusedImage[]> {
    if (images.length === 0) return [];
    this.beforeReserve?.();
    this.beforeReserve = undefined;
    const refused = await this.#answer('reserve', () => {
      const refused = images.flatMap(({ imageId, recordId }) => this.#refusal(imageId, recordId, name));
      if (refused.length === 0) for (const { imageId } of images) this.reservations.set(imageId, name);
      return refused;
    });
    const { afterReserve } = this;
    this.afterReserve = undefined;
    await afterReserve?.();
    return refused;
  }

  cancel({ name, images }: Reservation): Promise<void> {
    if (images.length === 0) return Promise.resolve();
    return this.#here(() => {
      for (const { imageId } of images) {
        if (this.reservations.get(imageId) === name) this.reservations.delete(imageId);
      }
    });
  }

  async claim({ name }: Reservation, images: readonly RecordImage[]): Promise<RefusedImage[]> {
    if (images.length === 0) return [];
    return this.#answer('claim', () => {
      const refused = images.flatMap(({ imageId, recordId }) => this.#refusal(imageId, recordId, name));
      if (refused.length > 0) return refused;
      for (const { imageId, recordId } of images) {
        this.attach(imageId, recordId);
        if (this.reservations.get(imageId) === name) this.reservations.delete(imageId);
      }
      return [];
    });
  }

  release(images: readonly RecordImage[]): Promise<void> {
    if (images.length === 0) return Promise.resolve();
    return this.#here(() => {
      for (const { imageId } of this.#theirs(images)) this.attach(imageId, undefined);
    });
  }

  delete(images: readonly RecordImage[]): Promise<void> {
    if (images.length === 0) return Promise.resolve();
    return this.#here(() => {
      for (const { imageId } of this.#theirs(images)) this.images.delete(imageId);
    });
  }

  #theirs(images: readonly RecordImage[]): RecordImage[] {
    return images.filter(
      ({ imageId, recordId }) => this.recordOf(imageId) === recordId && !this.reservations.has(imageId),
    );
  }

  #refusal(imageId: string, recordId: number | undefined, reservation: string): RefusedImage[] {
    const image = this.images.get(imageId);
    if (!image) return [{ imageId, problem: 'unknown' }];
    const holder = this.reservations.get(imageId) ?? reservation;
    const isFree = image.recordId === undefined ? holder === reservation : image.recordId === recordId;
    return isFree ? [] : [{ imageId, problem: 'taken' }];
  }

  async #answer<T>(method: 'reserve' | 'claim', work: () => T): Promise<T> {
    const blocked = this.#blocks.get(method);
    this.#blocks.delete(method);
    blocked?.reach();
    await blocked?.ended;
    const answer = await this.#here(work);
    if (this.losesResponsesOf === method) throw new ServiceError('UNAVAILABLE', 'The response was lost.');
    return answer;
  }

  #here<T>(work: () => T): Promise<T> {
    if (this.isDown) return Promise.reject(new ServiceError('UNAVAILABLE', 'media-svc is down.'));
    return Promise.resolve().then(work);
  }
}
