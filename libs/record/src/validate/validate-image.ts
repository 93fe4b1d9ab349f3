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
  /** How many there are in all. */
  problemCount: number;
  /** There when there is no problem. */
  image?: FiberImage & { imageId: string };
}

/**
 * Checks one entry of `fiberImages` that is sent alone, under the rules of a submission. Reports every problem.
 *
 * @param input what `JSON.parse` made of the body
 */
export function validateImage(input: unknown, references: References): ImageCheck {
  const problems = new ProblemList();
  const reading: Reading = { references, problems, warnings: [], keepsRetired: false, base: '' };
  const members = readObject(reading, '', input);
  const image = members && readMembers(reading, '', members, recordFields.fiberImages.fields);
  const check = { problems: problems.problems, problemCount: problems.count };
  // Its absence is a problem.
  if (check.problemCount > 0 || image?.imageId === undefined) return check;
  return { ...check, image: { ...image, imageId: image.imageId } };
}
