import { type ExperimentData, type FiberImage, recordFields } from '@esd/record/catalog/catalog';
import type { ProblemCode } from '@esd/record/validate/problems';
import { validateImage } from '@esd/record/validate/validate-image';
import { MAX_RECORD_BYTES } from '@esd/record/submission-size';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import { withStored } from '../prepare/complete-images.ts';
import { findImageProblem, imageProblem } from '../prepare/image-problems.ts';
import { parseJson, validateWithLists } from '../prepare/read-submission.ts';
import { contentText } from '../records/content.ts';
import type { RecordContext, RecordRequest } from '../records/context.ts';
import { refuseDeleted } from '../records/deleted-account.store.ts';
import { recordTag } from '../records/entity-tag.ts';
import { reservationName, storeWithImages } from '../records/image-claims.ts';
import type { RefusedImage } from '../records/image-client.ts';
import { findOwnRecord, lockOwnRecords } from '../records/record.store.ts';
import { getNewestRevision } from '../records/revision.store.ts';
import { validationFailed } from '../records/validation-failed.ts';
import { reviseImages, withImages } from './revise-images.ts';

const MAX_IMAGES = recordFields.fiberImages.maxItems;

export interface AttachRequest extends RecordRequest {
  recordId: number;
  caller: Caller;
  /** Unparsed JSON text in UTF-8. */
  json: Uint8Array;
}

export interface AttachedImage {
  image: FiberImage;
  entityTag: string;
}

/**
 * Adds an uploaded image to one of the caller's own records, or replaces its type and definition, as a new revision that
 * awaits review. Stores nothing if nothing changes. Throws RECORD_NOT_FOUND for a record of another account,
 * INVALID_REQUEST for a body that is not JSON, VALIDATION_FAILED, and UNAVAILABLE while media-svc is down.
 */
export async function attachImage(context: RecordContext, request: AttachRequest): Promise<AttachedImage> {
  const { recordId, caller, requestId } = request;
  const notFound = () => new ServiceError('RECORD_NOT_FOUND', `You have no record ${recordId}.`);
  if (!(await findOwnRecord(context.database, caller.accountId, recordId))) throw notFound();
  const image = await readImage(context, request);
  const wanted = { imageId: image.imageId ?? '', recordId };
  return storeWithImages(
    context,
    request,
    {
      name: reservationName(recordId),
      images: [wanted],
      refusal: ([first]) => imageRefused(first ?? { imageId: wanted.imageId, problem: 'taken' }),
    },
    async (transaction) => {
      const state = (await lockOwnRecords(transaction, caller.accountId, [recordId])).get(recordId);
      await refuseDeleted(transaction, caller.accountId);
      if (!state) throw notFound();
      const newest = await getNewestRevision(transaction, state);
      const data = withEntry(newest.data, image);
      if (contentText(data) === contentText(newest.data)) {
        return { stored: { image, entityTag: recordTag(recordId, state.revision) }, attached: [] };
      }
      checkSize(data);
      const author = { accountId: caller.accountId, requestId };
      const revision = await reviseImages(transaction, state, newest, data, author);
      return { stored: { image, entityTag: recordTag(recordId, revision) }, attached: [wanted] };
    },
  );
}

async function readImage({ references, images }: RecordContext, request: AttachRequest): Promise<FiberImage> {
  const body = parseJson(request.json);
  const check = await validateWithLists(references, (lists) => validateImage(body, lists), request);
  if (!check.image) throw validationFailed(check.problems, check.problemCount, 'image');
  const { imageId } = check.image;
  const stored = (await images.describe([imageId], request)).get(imageId);
  const problem = findImageProblem(stored, request.recordId);
  if (problem) throw imageRefused({ imageId, problem });
  return stored ? withStored(check.image, stored) : check.image;
}

function withEntry(data: ExperimentData, image: FiberImage): ExperimentData {
  const { fiberImages: before = [] } = data;
  const isKnown = before.some(({ imageId }) => imageId === image.imageId);
  return withImages(
    data,
    isKnown ? before.map((entry) => (entry.imageId === image.imageId ? image : entry)) : [...before, image],
  );
}

function checkSize(data: ExperimentData): void {
  if ((data.fiberImages?.length ?? 0) > MAX_IMAGES) {
    throw refused('', 'TOO_MANY_ITEMS', `A record may have at most ${MAX_IMAGES} images; remove one first.`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(data));
  if (bytes > MAX_RECORD_BYTES) {
    const message = `A record may have at most ${MAX_RECORD_BYTES} bytes of JSON; with this image it has ${bytes}.`;
    throw refused('', 'RECORD_TOO_LARGE', message);
  }
}

function imageRefused(image: RefusedImage): ServiceError {
  const { code, message } = imageProblem(image);
  return refused('imageId', code, message);
}

function refused(path: string, code: ProblemCode, message: string): ServiceError {
  return validationFailed([{ path, code, message }], 1, 'image');
}
