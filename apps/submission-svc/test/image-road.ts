import type { Caller } from '@esd/service/assertion';
import { clientOf } from '@esd/service/client';
import { attachImage } from '../src/images/attach-image.ts';
import { removeImage } from '../src/images/remove-image.ts';
import { approveRecords } from '../src/review/review.ts';
import { submit, type SubmitParts } from '../src/submit/submit.ts';
import { updateRecord } from '../src/update/update.ts';
import { asking, item, keptOf, moderator, user } from './road.ts';

/** A record of PCL with images. */
export const withImages = (...images: object[]) => ({ ...item('PCL'), fiberImages: images });

/** What a call has that nobody in particular makes. */
export const call = () => ({
  client: clientOf({}),
  requestId: 'test',
  deadline: Date.now() + 10_000,
  signal: new AbortController().signal,
});

const bytes = (body: object) => Buffer.from(JSON.stringify(body));

/** What is done with records that have images, by `user` unless somebody else is named. */
export function imageRoad(parts: SubmitParts) {
  const send = (experimentData: object[], { caller = user, ...rest }: { caller?: Caller; imageOnly?: boolean } = {}) =>
    submit(parts, { ...asking(caller), json: bytes({ ...rest, experimentData }) });
  const images = async (recordId: number): Promise<{ imageId: string }[]> => {
    const { record, revisions } = await keptOf(parts.database, recordId);
    const newest = revisions.find(({ revision }) => revision === record?.revision);
    return (newest?.data.fiberImages ?? []).map(({ imageId = '', ...rest }) => ({ imageId, ...rest }));
  };
  return {
    send,
    /** As send, for what must be stored; returns the id of the first record. */
    stored: async (experimentData: object[], options?: Parameters<typeof send>[1]): Promise<number> => {
      const outcome = await send(experimentData, options);
      if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
      return outcome.records[0]?.recordId ?? 0;
    },
    attach: (recordId: number, image: object, caller = user) =>
      attachImage(parts, { ...call(), recordId, caller, json: bytes(image) }),
    change: (recordId: number, experimentData: object[]) =>
      updateRecord(parts, { ...call(), recordId, caller: user, entityTags: [], json: bytes({ experimentData }) }),
    remove: (imageId: string, recordId: number, caller = user) =>
      removeImage(parts, { imageId, recordId }, caller, call()),
    approve: async (recordId: number): Promise<void> => {
      const records = [{ recordId, revision: undefined }];
      const outcome = await approveRecords(parts.database, records, moderator, 'test');
      if (outcome.kind !== 'reviewed') throw new Error(JSON.stringify(outcome));
    },
    /** The images of the newest revision. */
    images,
    imageIds: async (recordId: number) => (await images(recordId)).map(({ imageId }) => imageId),
  };
}
