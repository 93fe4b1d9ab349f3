import { ClaimProblem, type ImageServiceService, type RefusedClaim } from '@esd/proto/esd/media/v1/media';
import type { FreeObject } from '@esd/record/catalog/catalog';
import type { CallOptions, RpcClient } from '@esd/service/rpc/rpc-client';

/** An image and the record that it belongs to. */
export interface RecordImage {
  imageId: string;
  recordId: number;
}

/** What media-svc knows of an image. */
export interface StoredImage {
  imageType: string | undefined;
  imageDefinition: FreeObject | undefined;
  /** In pixels. */
  width: number;
  height: number;
  /** The record to which it is attached. */
  recordId: number | undefined;
}

export interface RefusedImage {
  imageId: string;
  /** `unknown`: there is no such image (any more). `taken`: it belongs to another record, or is about to. */
  problem: 'unknown' | 'taken';
}

/** Images that are reserved for records which are about to be stored. */
export interface Reservation {
  /** The same name gets the same images again. Up to 100 characters. */
  name: string;
  /** Without a record id: for a record that has none yet. */
  images: readonly { imageId: string; recordId: number | undefined }[];
}

/**
 * media-svc, which alone decides to which record an image is attached. Every method throws UNAVAILABLE while it is away, and
 * does nothing without images. media-svc finds forgotten reservations and resolves them.
 */
export interface ImageClient {
  /** The images that exist, by id. */
  describe(imageIds: readonly string[], call: CallOptions): Promise<Map<string, StoredImage>>;
  /** Reserves images, all or none, and returns those that were refused. */
  reserve(reservation: Reservation, call: CallOptions): Promise<RefusedImage[]>;
  /** Cancels a reservation as far as it is not claimed. */
  cancel(reservation: Reservation, call: CallOptions): Promise<void>;
  /** Attaches reserved images to records that are stored, all or none, and returns those that were refused. */
  claim(reservation: Reservation, images: readonly RecordImage[], call: CallOptions): Promise<RefusedImage[]>;
  /** Detaches images, which go some days later unless they are attached again. */
  release(images: readonly RecordImage[], call: CallOptions): Promise<void>;
  /** Deletes images, unless they were ever public. */
  delete(images: readonly RecordImage[], call: CallOptions): Promise<void>;
}

/** Images of one submission. */
export const MAX_IMAGES = 5_000;
// Some calls are made under the lock of a record: far shorter than a lock may be waited for.
const SOON_MS = 2_000;

export type ImageRpcClient = Pick<
  RpcClient<ImageServiceService>,
  'describeImages' | 'reserveImages' | 'cancelReservation' | 'claimImages' | 'releaseImages' | 'deleteImages'
>;

export function openImageClient(client: ImageRpcClient): ImageClient {
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

    async reserve({ name, images }, call) {
      if (images.length === 0) return [];
      const wanted = images.map(({ imageId, recordId = 0 }) => ({ imageId, recordId }));
      const { refused } = await client.reserveImages({ reservation: name, images: wanted }, soon(call));
      return toRefused(refused);
    },

    async cancel({ name, images }, call) {
      if (images.length === 0) return;
      await client.cancelReservation({ reservation: name, imageIds: images.map(({ imageId }) => imageId) }, soon(call));
    },

    async claim({ name }, images, call) {
      if (images.length === 0) return [];
      const { outcome } = await client.claimImages({ claims: [...images], reservation: name }, soon(call));
      if (outcome?.$case === 'claimed') return [];
      if (outcome?.$case !== 'refused') throw new Error('a claim of images without an outcome');
      return toRefused(outcome.value.refused);
    },

    async release(images, call) {
      if (images.length > 0) await client.releaseImages({ claims: [...images] }, soon(call));
    },

    async delete(images, call) {
      for (let start = 0; start < images.length; start += MAX_IMAGES) {
        await client.deleteImages({ images: images.slice(start, start + MAX_IMAGES) }, soon(call));
      }
    },
  };
}

function toRefused(refused: readonly RefusedClaim[]): RefusedImage[] {
  return refused.flatMap(({ claim, problem }) =>
    claim
      ? [{ imageId: claim.imageId, problem: problem === ClaimProblem.CLAIM_PROBLEM_UNKNOWN ? 'unknown' : 'taken' }]
      : [],
  );
}

function soon(call: CallOptions): CallOptions {
  return { ...call, deadline: Math.min(call.deadline ?? Infinity, Date.now() + SOON_MS) };
}

function readObject(json: string): FreeObject {
  // media-svc has checked that it is an object of free members.
  return JSON.parse(json) as FreeObject;
}
