import type { Kysely } from 'kysely';
import { ClaimProblem, type Image, ImageServiceService } from '@esd/proto/esd/media/v1/media';
import { ServiceError } from '@esd/service/errors';
import { type CallContext, type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import { claimImages } from '../attach/claim-images.ts';
import { deleteUnattached } from '../attach/delete-unattached.ts';
import { deleteImages, releaseImages } from '../attach/detach-images.ts';
import { isImageId } from '../image/image-id.ts';
import { refuseTooMany } from '../attach/record-image.ts';
import { cancelReservation, reserveImages } from '../attach/reserve-images.ts';
import type { ClaimRefusal } from '../attach/lock-images.ts';
import { findImages, type StoredImage } from '../image/image.store.ts';
import { UNATTACHED_DAYS } from '../sweep/sweep-images.ts';
import type { Tables } from '../tables.ts';

const PROBLEM = {
  unknown: ClaimProblem.CLAIM_PROBLEM_UNKNOWN,
  taken: ClaimProblem.CLAIM_PROBLEM_TAKEN,
} as const;

export function imageRpc(database: Kysely<Tables>): RpcService {
  return rpcService(ImageServiceService, {
    describeImages: async ({ imageIds }) => {
      refuseTooMany(imageIds);
      return { images: (await findImages(database, imageIds.filter(isImageId))).map(toMessage) };
    },
    reserveImages: async ({ reservation, images }, context) => {
      expectOwnerOfRecords(context);
      return { refused: (await reserveImages(database, reservation, images)).map(toRefused) };
    },
    cancelReservation: async ({ reservation, imageIds }, context) => {
      expectOwnerOfRecords(context);
      await cancelReservation(database, reservation, imageIds);
      return {};
    },
    claimImages: async ({ claims, reservation }, context) => {
      expectOwnerOfRecords(context);
      const outcome = await claimImages(database, claims, reservation);
      if ('images' in outcome) {
        return { outcome: { $case: 'claimed', value: { images: outcome.images.map(toMessage) } } };
      }
      return { outcome: { $case: 'refused', value: { refused: outcome.refused.map(toRefused) } } };
    },
    releaseImages: async ({ claims }, context) => {
      expectOwnerOfRecords(context);
      await releaseImages(database, claims);
      return {};
    },
    deleteImages: async ({ images }, context) => {
      expectOwnerOfRecords(context);
      await deleteImages(database, images);
      return {};
    },
    deleteUnattachedImage: async ({ imageId }) => ({
      attachedToRecordId: await deleteUnattached(database, imageId),
    }),
    getRetention: () => Promise.resolve({ unattachedDays: UNATTACHED_DAYS }),
  });
}

function expectOwnerOfRecords({ peer }: CallContext): void {
  if (peer !== 'submission-svc')
    throw new ServiceError('FORBIDDEN', 'Only submission-svc may attach images to records or detach them.');
}

function toRefused({ claim, problem }: ClaimRefusal) {
  return { claim, problem: PROBLEM[problem] };
}

function toMessage({ id, imageType, imageDefinition, ...image }: StoredImage): Image {
  const { width, height, bytes, sha256, stretched } = image;
  return {
    id,
    imageType: imageType ?? undefined,
    imageDefinitionJson: imageDefinition === null ? undefined : JSON.stringify(imageDefinition),
    width,
    height,
    bytes,
    sha256,
    stretched,
    recordId: image.recordId ?? undefined,
    published: image.publishedAt !== null,
  };
}
