import type { Caller } from '@esd/service/auth/caller-assertion';
import { clientOf } from '@esd/service/quota-client';
import { attachImage } from '../src/images/attach-image.ts';
import { deleteImage } from '../src/images/delete-image.ts';
import { approveRecords } from '../src/review/review.ts';
import { submit, type SubmitContext } from '../src/submit/submit.ts';
import { updateRecord } from '../src/update/update.ts';
import { recordOf } from '@esd/testing/records';
import { submitRequest, storedRecord, moderator, user, reviewBy } from './builders.ts';

export const withImages = (...images: object[]) => ({ ...recordOf('PCL'), fiberImages: images });

export const call = () => ({
  client: clientOf({}),
  requestId: 'test',
  deadline: Date.now() + 120_000,
  signal: new AbortController().signal,
});

const bytes = (body: object) => Buffer.from(JSON.stringify(body));

export function imageCalls(context: SubmitContext) {
  const send = (experimentData: object[], { caller = user, ...rest }: { caller?: Caller; imageOnly?: boolean } = {}) =>
    submit(context, { ...submitRequest(caller), json: bytes({ ...rest, experimentData }) });
  const images = async (recordId: number): Promise<{ imageId: string }[]> => {
    const { record, revisions } = await storedRecord(context.database, recordId);
    const newest = revisions.find(({ revision }) => revision === record?.revision);
    return (newest?.data.fiberImages ?? []).map(({ imageId = '', ...rest }) => ({ imageId, ...rest }));
  };
  return {
    send,
    /** As send, but throws unless the records are stored; returns the id of the first one. */
    stored: async (experimentData: object[], options?: Parameters<typeof send>[1]): Promise<number> => {
      const outcome = await send(experimentData, options);
      if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
      return outcome.records[0]?.recordId ?? 0;
    },
    attach: (recordId: number, image: object, caller = user) =>
      attachImage(context, { ...call(), recordId, caller, json: bytes(image) }),
    change: (recordId: number, experimentData: object[]) =>
      updateRecord(context, { ...call(), recordId, caller: user, entityTags: [], json: bytes({ experimentData }) }),
    remove: (imageId: string, recordId: number, caller = user) =>
      deleteImage(context, { imageId, recordId }, caller, call()),
    approve: async (recordId: number): Promise<void> => {
      const records = [{ recordId, revision: undefined }];
      await approveRecords(context.database, records, reviewBy(moderator));
    },
    images,
    imageIds: async (recordId: number) => (await images(recordId)).map(({ imageId }) => imageId),
  };
}
