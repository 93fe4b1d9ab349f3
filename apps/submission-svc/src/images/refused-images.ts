import type { ExperimentData } from '@esd/record/catalogue';
import { ProblemList } from '@esd/record/problems';
import type { Refused } from '../submit/read-submission.ts';
import { codeOf, imageIdsOf, messageOf } from './complete-images.ts';
import type { ImageOfRecord, RefusedImage } from './image-keeper.ts';

/** Images were given to somebody else since they were looked at. */
export class ImagesRefused extends Error {
  readonly refused: readonly RefusedImage[];

  constructor(refused: readonly RefusedImage[]) {
    super('images were refused');
    this.refused = refused;
  }
}

/** The images of records. */
export function imagesOf<RecordId extends number | undefined>(
  records: readonly { recordId: RecordId; data: ExperimentData }[],
): (Omit<ImageOfRecord, 'recordId'> & { recordId: RecordId })[] {
  return records.flatMap(({ recordId, data }) => imageIdsOf(data).map((imageId) => ({ imageId, recordId })));
}

/** What ImagesRefused means for a submission, whose items these are; throws every other error on. */
export function refusalOfImages(
  error: unknown,
  items: readonly { data: ExperimentData }[],
): Extract<Refused, { kind: 'invalid' }> {
  if (!(error instanceof ImagesRefused)) throw error;
  const problemOf = new Map(error.refused.map(({ imageId, problem }) => [imageId, problem]));
  const problems = new ProblemList();
  items.forEach(({ data }, index) => {
    imageIdsOf(data).forEach((imageId, position) => {
      const problem = problemOf.get(imageId);
      if (problem === undefined) return;
      const path = `experimentData[${index}].fiberImages[${position}].imageId`;
      problems.add(path, codeOf(problem), () => messageOf(problem, imageId));
    });
  });
  return { kind: 'invalid', problems: problems.problems, problemCount: problems.count };
}
