import { ClaimProblem, type ImageServiceService, type RefusedClaim } from '@esd/proto/esd/media/v1/media';
import type { FreeObject } from '@esd/record/catalog/catalog';
import type { CallOptions, RpcClient } from '@esd/service/rpc/rpc-client';

export interface RecordImage {
  imageId: string;
  recordId: number;
}

export interface StoredImage {
  imageType: string | undefined;
  imageDefinition: FreeObject | undefined;
  /** In pixels. */
  width: number;
  height: number;
  /** Whether the contrast of its smaller sizes is stretched. */
  stretched: boolean;
  recordId: number | undefined;
}

export interface RefusedImage {
  imageId: string;
  /** `unknown`: the image does not exist. `taken`: it is attached to, or reserved for, another record. */
  problem: 'unknown' | 'taken';
}

export interface Reservation {
  /** Up to 100 characters. A reservation with the same name can be repeated. */
  name: string;
  /** `recordId` is undefined for a new record. */
  images: readonly { imageId: string; recordId: number | undefined }[];
}

/** Client of media-svc. Every method throws UNAVAILABLE while media-svc is down, and does nothing without images. */
export interface ImageClient {
  /** Returns images by id; unknown ids are left out. */
  describe(imageIds: readonly string[], call: CallOptions): Promise<Map<string, StoredImage>>;
  /** Reserves images, all or none; returns the refused ones. */
  reserve(reservation: Reservation, call: CallOptions): Promise<RefusedImage[]>;
  /** Cancels the reservation of images that were not claimed. */
  cancel(reservation: Reservation, call: CallOptions): Promise<void>;
  /** Attaches reserved images to stored records, all or none; returns the refused ones. */
  claim(reservation: Reservation, images: readonly RecordImage[], call: CallOptions): Promise<RefusedImage[]>;
  /** Detaches images, which are deleted some days later unless they are attached again. */
  release(images: readonly RecordImage[], call: CallOptions): Promise<void>;
  delete(images: readonly RecordImage[], call: CallOptions): Promise<void>;
}

/** Maximum images of one submission. */
export const MAX_IMAGES = 5_000;
// Far below the lock timeout, because some calls run under the lock of a record.
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
        images.map(({ id, imageType, imageDefinitionJson, width, height, stretched, recordId }) => {
          const imageDefinition = imageDefinitionJson === undefined ? undefined : readObject(imageDefinitionJson);
          return [id, { imageType, imageDefinition, width, height, stretched, recordId }];
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
      if (outcome?.$case !== 'refused') throw new Error('media-svc returned no outcome for a claim');
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
  // media-svc validates the object.
  return JSON.parse(json) as FreeObject;
}
