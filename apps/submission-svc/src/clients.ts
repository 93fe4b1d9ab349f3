import { openReferenceLists, type ReferenceLists } from '@esd/dataset-client/reference-lists';
import { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { ImageServiceService } from '@esd/proto/esd/media/v1/media';
import { serviceAssertions } from '@esd/service/auth/service-assertion';
import type { Tls } from '@esd/service/auth/tls';
import { callLimits } from '@esd/service/rpc/call-limit';
import { type RpcClient, rpcClient } from '@esd/service/rpc/rpc-client';
import type { SubmissionConfig } from './config.ts';
import { type ImageClient, openImageClient } from './records/image-client.ts';

export interface Clients {
  images: ImageClient;
  references: ReferenceLists;
  dataset: RpcClient<DatasetServiceService>;
  close(): void;
}

export function openClients(config: SubmissionConfig, tls: Tls | undefined): Clients {
  const peer = { serviceAssertions: serviceAssertions('submission-svc', config), limits: callLimits(config), tls };
  const media = rpcClient(ImageServiceService, {
    ...peer,
    service: 'media-svc',
    target: config.ESD_MEDIA_TARGET,
    retry: ['describeImages', 'reserveImages', 'claimImages', 'cancelReservation'],
  });
  const datasetPeer = { ...peer, service: 'dataset-svc' as const, target: config.ESD_DATASET_TARGET };
  const reference = rpcClient(ReferenceServiceService, { ...datasetPeer, retry: ['getLists'] });
  const dataset = rpcClient(DatasetServiceService, { ...datasetPeer, retry: ['getFeatureRanges', 'getRecordHistory'] });
  return {
    images: openImageClient(media),
    references: openReferenceLists(reference),
    dataset,
    close: () => {
      for (const { channel } of [media, reference, dataset]) channel.close();
    },
  };
}
