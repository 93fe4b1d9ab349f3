import type { ExperimentData } from '@esd/record/catalog/catalog';
import { type ValidationProblem, ProblemList } from '@esd/record/validate/problems';
import type { ServiceError } from '@esd/service/errors';
import type { RefusedImage, StoredImage } from '../records/image-client.ts';
import { imageIdsOf } from '../records/record-images.ts';
import { validationFailed } from '../records/validation-failed.ts';

/** Returns why a record may not have an image; undefined if it may. `recordId` is undefined for a new record. */
export function findImageProblem(
  stored: StoredImage | undefined,
  recordId: number | undefined,
): RefusedImage['problem'] | undefined {
  if (!stored) return 'unknown';
  return stored.recordId !== undefined && stored.recordId !== recordId ? 'taken' : undefined;
}

export function imageProblem({ imageId, problem }: RefusedImage): Pick<ValidationProblem, 'code' | 'message'> {
  return problem === 'unknown'
    ? {
        code: 'UNKNOWN_IMAGE',
        message: `There is no image ${imageId}; upload it with POST /images/upload first.`,
      }
    : {
        code: 'IMAGE_TAKEN',
        message: `Image ${imageId} already belongs to another record; upload it again for this one.`,
      };
}

export function imagesRefused(
  records: readonly { data: ExperimentData }[],
  refused: readonly RefusedImage[],
): ServiceError {
  const refusals = new Map(refused.map((image) => [image.imageId, image]));
  const problems = new ProblemList();
  records.forEach(({ data }, index) => {
    imageIdsOf(data).forEach((imageId, position) => {
      const refusal = refusals.get(imageId);
      if (!refusal) return;
      const { code, message } = imageProblem(refusal);
      problems.add(imagePath(index, position), code, () => message);
    });
  });
  return validationFailed(problems.problems, problems.count);
}

export function imagePath(record: number, position: number): string {
  return `experimentData[${record}].fiberImages[${position}].imageId`;
}
