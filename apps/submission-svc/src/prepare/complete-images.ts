import type { FiberImage } from '@esd/record/catalog/catalog';
import { ProblemList } from '@esd/record/validate/problems';
import type { ValidRecord } from '@esd/record/validate/validate-submission';
import type { CallOptions } from '@esd/service/rpc/rpc-client';
import { type ImageClient, MAX_IMAGES, type StoredImage } from '../records/image-client.ts';
import { imageIdsOf } from '../records/record-images.ts';
import { throwProblems } from '../records/validation-failed.ts';
import { findImageProblem, imagePath, imageProblem } from './image-problems.ts';

/**
 * Completes the images of records with the data of media-svc. Throws VALIDATION_FAILED for images that do not exist, belong
 * to another record, or occur twice. Throws UNAVAILABLE while media-svc is down.
 * @param recordIds ids of existing records, in the same order
 */
export async function completeImages(
  images: ImageClient,
  records: readonly ValidRecord[],
  recordIds: readonly number[],
  call: CallOptions,
): Promise<ValidRecord[]> {
  const ids = records.flatMap(({ data }) => imageIdsOf(data));
  const problems = new ProblemList();
  if (ids.length > MAX_IMAGES) {
    problems.add(
      'experimentData',
      'TOO_MANY_ITEMS',
      () => `A submission may have at most ${MAX_IMAGES} images, got ${ids.length}.`,
    );
    throwProblems(problems);
  }
  const known = await images.describe([...new Set(ids)], call);
  const firstPaths = new Map<string, string>();
  const completed = records.map((record, index) => {
    const { fiberImages } = record.data;
    if (fiberImages === undefined) return record;
    const entries = fiberImages.map((entry, position) => {
      const { imageId = '' } = entry;
      const stored = known.get(imageId);
      const firstPath = firstPaths.get(imageId);
      if (firstPath === undefined) {
        firstPaths.set(imageId, `experimentData[${index}].fiberImages[${position}]`);
        const problem = findImageProblem(stored, recordIds[index]);
        if (problem !== undefined) {
          const { code, message } = imageProblem({ imageId, problem });
          problems.add(imagePath(index, position), code, () => message);
        }
      } else {
        const message = `Image ${imageId} is already in ${firstPath}; send each image once, in one record.`;
        problems.add(imagePath(index, position), 'IMAGE_TAKEN', () => message);
      }
      return stored ? withStored(entry, stored) : entry;
    });
    return { ...record, data: { ...record.data, fiberImages: entries } };
  });
  throwProblems(problems);
  return completed;
}

/** Adds the size of the image and whether its contrast is stretched, and the type and definition of the upload unless the entry has its own. */
export function withStored(entry: FiberImage, stored: StoredImage): FiberImage {
  const { imageId = '' } = entry;
  const imageType = entry.imageType ?? stored.imageType;
  const imageDefinition = entry.imageDefinition ?? stored.imageDefinition;
  return {
    imageId,
    ...(imageType === undefined ? {} : { imageType }),
    ...(imageDefinition === undefined ? {} : { imageDefinition }),
    width: stored.width,
    height: stored.height,
    contentUrl: `/images/${imageId}/content`,
    ...(stored.stretched ? { stretched: true } : {}),
  };
}
