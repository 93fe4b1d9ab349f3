import { recordFields } from '../catalog/catalog.ts';
import type { FiberImage } from '../catalog/catalog.ts';
import { ProblemList } from './problems.ts';
import type { ValidationProblem } from './problems.ts';
import { readMembers } from './read-members.ts';
import { readObject } from './read-value.ts';
import type { Reading } from './read-value.ts';
import type { References } from '../reference/reference.ts';

export interface ImageCheck {
  /** The first 1,000 problems. */
  problems: ValidationProblem[];
  problemCount: number;
  /** Absent if there are problems. */
  image?: FiberImage & { imageId: string };
}

/** Checks one parsed entry of `fiberImages` by the rules of a submission. */
export function validateImage(input: unknown, references: References): ImageCheck {
  const problems = new ProblemList();
  const reading: Reading = { references, problems, warnings: [], keepsRetired: false, base: '' };
  const members = readObject(reading, '', input);
  const image = members && readMembers(reading, '', members, recordFields.fiberImages.fields);
  const check = { problems: problems.problems, problemCount: problems.count };
  // Narrows the type: a missing `imageId` is a problem.
  if (check.problemCount > 0 || image?.imageId === undefined) return check;
  return { ...check, image: { ...image, imageId: image.imageId } };
}
