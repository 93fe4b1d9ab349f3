import { type FiberImage, recordFields } from '@esd/record/catalogue';
import { contentText } from '@esd/record/content';
import type { ProblemCode } from '@esd/record/problems';
import { validateImage } from '@esd/record/validate-image';
import { MOST_RECORD_BYTES } from '@esd/record/validate-submission';
import { ServiceError } from '@esd/service/errors';
import { refuseDeleted } from '../account/deleted-account.store.ts';
import { recordTag } from '../record/entity-tag.ts';
import { checkAgainstNewest, parseJson, type Refused } from '../submit/read-submission.ts';
import type { SubmitParts } from '../submit/submit.ts';
import { findOwnRecord, lockOwnRecords } from '../update/update.store.ts';
import type { UpdateRequest } from '../update/update.ts';
import { ImagesRefused } from './refused-images.ts';
import { codeOf, messageOf, refusalOf, withStored } from './complete-images.ts';
import { getNewestRevision, reviseImages, withImages } from './revise-images.ts';
import { reservationOf, type StoredWithImages, storeWithImages } from './store-with-images.ts';

const MOST_IMAGES = recordFields.fiberImages.maxItems;

export type AttachOutcome = { kind: 'attached'; image: FiberImage; entityTag: string } | Refused;

/**
 * Adds an uploaded image to one of the caller's own records as a new revision, which awaits review; of an image that the
 * record has already it replaces what is said of it, and nothing where that is the same. Throws RECORD_NOT_FOUND for
 * what is not the caller's, and UNAVAILABLE while media-svc is away.
 */
export async function attachImage(
  parts: SubmitParts,
  request: UpdateRequest & { recordId: number },
): Promise<AttachOutcome> {
  const { database, images } = parts;
  const { recordId, caller, requestId } = request;
  const notFound = () => new ServiceError('RECORD_NOT_FOUND', `You have no record ${recordId}.`);
  if (!(await findOwnRecord(database, caller.accountId, recordId))) throw notFound();
  const parsed = parseJson(request.json);
  if ('message' in parsed) return { kind: 'unreadable', message: parsed.message };
  const check = await checkAgainstNewest(
    parts.references,
    (references) => validateImage(parsed.value, references),
    request,
  );
  if (!check.image) return { kind: 'invalid', problems: check.problems, problemCount: check.problemCount };
  const { imageId } = check.image;
  const stored = (await images.describe([imageId], request)).get(imageId);
  const problem = refusalOf(stored, recordId);
  if (problem) return refuse('imageId', codeOf(problem), messageOf(problem, imageId));
  const image = stored ? withStored(check.image, stored) : check.image;

  const wanted = { imageId, recordId };
  const without = (stored: AttachOutcome) => ({ stored, attached: [] });
  return storeWithImages(
    parts,
    request,
    reservationOf(recordId, [wanted]),
    async (transaction): Promise<StoredWithImages<AttachOutcome>> => {
      const state = (await lockOwnRecords(transaction, caller.accountId, [recordId])).get(recordId);
      await refuseDeleted(transaction, caller.accountId);
      if (!state) throw notFound();
      const newest = await getNewestRevision(transaction, state);
      const before = newest.data.fiberImages ?? [];
      const known = before.some((entry) => entry.imageId === imageId);
      const after = known ? before.map((entry) => (entry.imageId === imageId ? image : entry)) : [...before, image];
      const data = withImages(newest.data, after);
      if (contentText(data) === contentText(newest.data)) {
        return without({ kind: 'attached', image, entityTag: recordTag(recordId, state.revision) });
      }
      if (after.length > MOST_IMAGES) {
        const message = `A record holds at most ${MOST_IMAGES} images; remove one first.`;
        return without(refuse('', 'TOO_MANY_ITEMS', message));
      }
      const bytes = Buffer.byteLength(JSON.stringify(data));
      if (bytes > MOST_RECORD_BYTES) {
        const message = `A record may take ${MOST_RECORD_BYTES} bytes of JSON, with this image it takes ${bytes}.`;
        return without(refuse('', 'RECORD_TOO_LARGE', message));
      }
      const author = { accountId: caller.accountId, requestId };
      const revision = await reviseImages(transaction, state, newest, data, author);
      const stored: AttachOutcome = { kind: 'attached', image, entityTag: recordTag(recordId, revision) };
      return { stored, attached: [wanted] };
    },
  ).catch((error: unknown): AttachOutcome => {
    const refused = error instanceof ImagesRefused ? error.refused[0] : undefined;
    if (!refused) throw error;
    return refuse('imageId', codeOf(refused.problem), messageOf(refused.problem, imageId));
  });
}

function refuse(path: string, code: ProblemCode, message: string): Refused {
  return { kind: 'invalid', problems: [{ path, code, message }], problemCount: 1 };
}
