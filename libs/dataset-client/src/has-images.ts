import type { DatasetServiceService, ExploreRequest } from '@esd/proto/esd/dataset/v1/dataset';
import type { CallOptions, RpcClient } from '@esd/service/rpc/rpc-client';

/** Returns whether a record of the state or of the query has an image. Throws errors of dataset-svc. */
export async function hasImages(
  dataset: Pick<RpcClient<typeof DatasetServiceService>, 'explore'>,
  of: Pick<ExploreRequest, 'revision' | 'atLeast' | 'queryId'>,
  call: CallOptions,
): Promise<boolean> {
  const { hasImages: has } = await dataset.explore(
    {
      ...of,
      filter: undefined,
      version: '',
      questions: [],
      records: undefined,
      recordIds: [],
      once: false,
      images: true,
    },
    call,
  );
  return has === true;
}
