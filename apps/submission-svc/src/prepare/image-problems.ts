import type { ExperimentData } from '@esd/record/catalog/catalog';
import { type ValidationProblem, ProblemList } from '@esd/record/validate/problems';
import type { ServiceError } from '@esd/service/errors';
import type { RefusedImage, StoredImage } from '../records/image-client.ts';
import { imageIdsOf } from '../records/record-images.ts';
import { validationFailed } from '../records/validation-failed.ts';

/** Why a record may not name an image; undefined: it may. `recordId`: of the record, where it exists already. */
export function findImageProblem(
  stored: StoredImage | undefined,
  recordId: number | undefined,
): RefusedImage['problem'] | undefined {
  if (!stored) return 'unknown';
  return stored.recordId !== undefined && stored.recordId !== recordId ? 'taken' : undefined;
}

/** Code and message for an image that a record may not name. */
export function imageProblem({ imageId, problem }: RefusedImage): Pick<ValidationProblem, 'code' | 'message'> {
  return problem === 'unknown'
    ? {
        code: 'UNKNOWN_IMAGE',
        message: `There is no image ${imageId} (any more); upload it with POST /images/upload first.`,
      }
    : {
        code: 'IMAGE_TAKEN',
        message: `Image ${imageId} belongs to another record already; upload it again for this one.`,
      };
}

/** The VALIDATION_FAILED for images that media-svc refused to reserve for records, with the place of each in the body. */
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

/** The path of the id of an image in a submission. */
export function imagePath(record: number, position: number): string {
  return `experimentData[${record}].fiberImages[${position}].imageId`;
}
