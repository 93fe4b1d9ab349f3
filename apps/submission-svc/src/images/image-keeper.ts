import { ClaimProblem, type ImageServiceService } from '@esd/proto/esd/media/v1/media';
import type { FreeObject } from '@esd/record/catalogue';
import type { CallOptions, RpcClient } from '@esd/service/rpc-client';

/** An image and the record that it belongs to. */
export interface ImageOfRecord {
  imageId: string;
  recordId: number;
}

/** What media-svc says of an image. */
export interface StoredImage {
  imageType: string | undefined;
  imageDefinition: FreeObject | undefined;
  /** In pixels. */
  width: number;
  height: number;
  /** To which it is attached. */
  recordId: number | undefined;
}

export interface RefusedImage extends ImageOfRecord {
  /** `unknown`: there is no such image (any more). `taken`: it belongs to another record. */
  problem: 'unknown' | 'taken';
}

/** media-svc, which alone decides to what an image is attached. Everything here throws UNAVAILABLE while it is away. */
export interface ImageKeeper {
  /** The images that exist, by id; asks nobody about none. */
  describe(imageIds: readonly string[], call: CallOptions): Promise<Map<string, StoredImage>>;
  /**
   * Attaches images to records, all or none, and returns which were refused. Within seconds, since it is called inside a
   * transaction: as its last statement, so that only the commit can fail after it. media-svc finds claims without a
   * record by itself.
   */
  claim(images: readonly ImageOfRecord[], call: CallOptions): Promise<RefusedImage[]>;
  /** Detaches images, which go some days later unless they are attached again. */
  release(images: readonly ImageOfRecord[], call: CallOptions): Promise<void>;
  /** Deletes images, unless they were ever public. */
  erase(images: readonly ImageOfRecord[], call: CallOptions): Promise<void>;
}

/** Most images of one submission, so that attaching them takes less than the time below. */
export const MOST_IMAGES = 5_000;
// Far shorter than a lock may be waited for.
const UNDER_LOCK_MS = 2_000;

export type ImageClient = Pick<
  RpcClient<ImageServiceService>,
  'describeImages' | 'claimImages' | 'releaseImages' | 'eraseImages'
>;

/** The images as media-svc keeps them. */
export function imageKeeper(client: ImageClient): ImageKeeper {
  return {
    async describe(imageIds, call) {
      if (imageIds.length === 0) return new Map();
      const { images } = await client.describeImages({ imageIds: [...imageIds] }, call);
      return new Map(
        images.map(({ id, imageType, imageDefinitionJson, width, height, recordId }) => {
          const imageDefinition = imageDefinitionJson === undefined ? undefined : readObject(imageDefinitionJson);
          return [id, { imageType, imageDefinition, width, height, recordId }];
        }),
      );
    },

    async claim(images, call) {
      if (images.length === 0) return [];
      const { outcome } = await client.claimImages({ claims: [...images] }, soon(call));
      if (outcome?.$case === 'claimed') return [];
      if (outcome?.$case !== 'refused') throw new Error('a claim of images without an outcome');
      return outcome.value.refused.flatMap(({ claim, problem }) =>
        claim ? [{ ...claim, problem: problem === ClaimProblem.CLAIM_PROBLEM_UNKNOWN ? 'unknown' : 'taken' }] : [],
      );
    },

    async release(images, call) {
      if (images.length > 0) await client.releaseImages({ claims: [...images] }, soon(call));
    },

    async erase(images, call) {
      for (let start = 0; start < images.length; start += MOST_IMAGES) {
        await client.eraseImages({ images: images.slice(start, start + MOST_IMAGES) }, soon(call));
      }
    },
  };
}

function soon(call: CallOptions): CallOptions {
  return { ...call, deadline: Math.min(call.deadline ?? Infinity, Date.now() + UNDER_LOCK_MS) };
}

function readObject(json: string): FreeObject {
  // media-svc has checked that it is an object of free members.
  return JSON.parse(json) as FreeObject;
}
