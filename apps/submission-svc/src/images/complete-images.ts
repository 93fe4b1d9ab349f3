import type { FiberImage } from '@esd/record/catalogue';
import { ProblemList } from '@esd/record/problems';
import type { CheckedRecord } from '@esd/record/validate-submission';
import type { CallOptions } from '@esd/service/rpc-client';
import type { Refused } from '../submit/read-submission.ts';
import { type ImageKeeper, MOST_IMAGES, type RefusedImage, type StoredImage } from './image-keeper.ts';

/**
 * Adds to the images of records what media-svc knows of them. A problem: an image that does not exist, that belongs to
 * another record, or that is named twice. `recordIds`: the records as far as they exist, in the same order.
 */
export async function completeImages(
  images: ImageKeeper,
  records: readonly CheckedRecord[],
  recordIds: readonly number[],
  call: CallOptions,
): Promise<{ kind: 'complete'; records: CheckedRecord[] } | Extract<Refused, { kind: 'invalid' }>> {
  const ids = records.flatMap(({ data }) => imageIdsOf(data));
  const problems = new ProblemList();
  if (ids.length > MOST_IMAGES) {
    const message = `At most ${MOST_IMAGES} images are allowed in one submission, got ${ids.length}.`;
    problems.add('experimentData', 'TOO_MANY_ITEMS', () => message);
    return refused(problems);
  }
  const known = await images.describe([...new Set(ids)], call);
  const seen = new Map<string, string>();
  const completed = records.map((record, index) => {
    const { fiberImages } = record.data;
    if (fiberImages === undefined) return record;
    const entries = fiberImages.map((entry, position) => {
      const place = `experimentData[${index}].fiberImages[${position}]`;
      const { imageId = '' } = entry;
      const stored = known.get(imageId);
      const problem = refusalOf(stored, recordIds[index]);
      const earlier = seen.get(imageId);
      seen.set(imageId, earlier ?? place);
      if (earlier !== undefined) {
        const message = `Image ${imageId} is ${earlier} already; an image belongs to one record, once.`;
        problems.add(`${place}.imageId`, 'IMAGE_TAKEN', () => message);
      } else if (problem !== undefined) {
        problems.add(`${place}.imageId`, codeOf(problem), () => messageOf(problem, imageId));
      }
      return stored ? withStored(entry, stored) : entry;
    });
    return { ...record, data: { ...record.data, fiberImages: entries } };
  });
  return problems.count > 0 ? refused(problems) : { kind: 'complete', records: completed };
}

/** An entry of `fiberImages` with what its upload said and what the service says of it. */
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
  };
}

/** Why a record may not name an image; undefined: it may. */
export function refusalOf(
  stored: StoredImage | undefined,
  recordId: number | undefined,
): RefusedImage['problem'] | undefined {
  if (!stored) return 'unknown';
  return stored.recordId !== undefined && stored.recordId !== recordId ? 'taken' : undefined;
}

export function codeOf(problem: RefusedImage['problem']): 'UNKNOWN_IMAGE' | 'IMAGE_TAKEN' {
  return problem === 'unknown' ? 'UNKNOWN_IMAGE' : 'IMAGE_TAKEN';
}

export function messageOf(problem: RefusedImage['problem'], imageId: string): string {
  return problem === 'unknown'
    ? `There is no image ${imageId} (any more); upload it with POST /images/upload first.`
    : `Image ${imageId} belongs to another record already; upload it again for this one.`;
}

/** The ids of a record's images. */
export function imageIdsOf({ fiberImages = [] }: CheckedRecord['data']): string[] {
  return fiberImages.flatMap(({ imageId }) => imageId ?? []);
}

function refused({ problems, count }: ProblemList): Extract<Refused, { kind: 'invalid' }> {
  return { kind: 'invalid', problems, problemCount: count };
}
