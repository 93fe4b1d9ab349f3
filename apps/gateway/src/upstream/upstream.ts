import { randomUUID } from 'node:crypto';
import { StatusServiceService } from '@esd/proto/esd/common/v1/status';
import { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { QueryServiceService } from '@esd/proto/esd/dataset/v1/queries';
import { SnapshotServiceService } from '@esd/proto/esd/dataset/v1/snapshots';
import { ReleaseServiceService } from '@esd/proto/esd/dataset/v1/releases';
import { ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { FreezeServiceService, UsageServiceService } from '@esd/proto/esd/export/v1/export';
import { AdministrationServiceService } from '@esd/proto/esd/identity/v1/administration';
import { IdentityServiceService } from '@esd/proto/esd/identity/v1/identity';
import { SessionServiceService } from '@esd/proto/esd/identity/v1/sessions';
import { TokenServiceService } from '@esd/proto/esd/identity/v1/tokens';
import { TwoFactorServiceService } from '@esd/proto/esd/identity/v1/two_factor';
import { ImageServiceService } from '@esd/proto/esd/media/v1/media';
import { ContributorsServiceService } from '@esd/proto/esd/submission/v1/contributors';
import { FeedbackServiceService } from '@esd/proto/esd/submission/v1/feedback';
import { RecordImageServiceService } from '@esd/proto/esd/submission/v1/record_images';
import { RecordMessageServiceService } from '@esd/proto/esd/submission/v1/record_messages';
import { ModerationServiceService, SubmissionServiceService } from '@esd/proto/esd/submission/v1/submission';
import { ReferenceUseServiceService } from '@esd/proto/esd/submission/v1/reference_use';
import { callLimits } from '@esd/service/rpc/call-limit';
import { type CallOptions, rpcClient } from '@esd/service/rpc/rpc-client';
import type { Dependency } from '@esd/service/health/readiness';
import { rpcHealthDependency } from '@esd/service/rpc/rpc-health';
import { SERVICES } from '@esd/service/names/services';
import { serviceAssertions } from '@esd/service/auth/service-assertion';
import type { Tls } from '@esd/service/auth/tls';
import type { WarningCheck } from '@esd/service/health/warnings';
import { byteProxy } from './byte-proxy.ts';
import { replicaCalls, serviceReplicas } from './service-replicas.ts';
import type { GatewayConfig } from '../config.ts';
import { WRITE_MS } from '../http/call.ts';

export function openUpstream(config: GatewayConfig, tls: Tls | undefined) {
  const peer = { serviceAssertions: serviceAssertions('gateway', config), limits: callLimits(config), tls };
  const accounts = { ...peer, service: 'identity-svc' as const, target: config.ESD_IDENTITY_TARGET };
  const submission = { ...peer, service: 'submission-svc' as const, target: config.ESD_SUBMISSION_TARGET };
  const dataset = { ...peer, service: 'dataset-svc' as const, target: config.ESD_DATASET_TARGET };
  const exports = { ...peer, service: 'export-svc' as const, target: config.ESD_EXPORT_TARGET };
  const statuses = replicaCalls(StatusServiceService, peer);
  const datasetReplicas = replicaCalls(DatasetServiceService, peer);
  const targets = {
    'dataset-svc': config.ESD_DATASET_TARGET,
    'identity-svc': config.ESD_IDENTITY_TARGET,
    'submission-svc': config.ESD_SUBMISSION_TARGET,
    'media-svc': config.ESD_MEDIA_TARGET,
    'export-svc': config.ESD_EXPORT_TARGET,
  };
  return {
    identity: rpcClient(IdentityServiceService, {
      ...accounts,
      retry: ['resolveBearer', 'getOwnAccount', 'listOwnActs', 'getRetention'],
    }),
    tokens: rpcClient(TokenServiceService, { ...accounts, retry: ['listTokens'] }),
    sessions: rpcClient(SessionServiceService, { ...accounts, retry: ['listSessions', 'listSessionKeys'] }),
    twoFactor: rpcClient(TwoFactorServiceService, { ...accounts, retry: ['getTwoFactor'] }),
    administration: rpcClient(AdministrationServiceService, { ...accounts, retry: ['listAccounts', 'listAudit'] }),
    dataset: rpcClient(DatasetServiceService, {
      ...dataset,
      retry: ['getHead', 'queryRecords', 'getRecord', 'getRecordHistory', 'explainFilter', 'explore'],
    }),
    reference: rpcClient(ReferenceServiceService, {
      ...dataset,
      retry: ['getLists', 'listChanges', 'listEntryNames', 'listPapers', 'listMissingPapers'],
    }),
    releases: rpcClient(ReleaseServiceService, { ...dataset, retry: ['listReleases', 'findRelease', 'getRelease'] }),
    queries: rpcClient(QueryServiceService, { ...dataset, timeoutMs: WRITE_MS, retry: ['getQuery', 'findQuery'] }),
    snapshots: rpcClient(SnapshotServiceService, {
      ...dataset,
      retry: ['listSnapshots', 'getSnapshot', 'listOwnChanges'],
    }),
    submission: rpcClient(SubmissionServiceService, {
      ...submission,
      timeoutMs: WRITE_MS,
      retry: ['listOwnRecordIds', 'getOwnExperiment', 'getRetention'],
      queued: ['submit', 'updateRecord', 'updateSubmission'],
    }),
    moderation: rpcClient(ModerationServiceService, {
      ...submission,
      timeoutMs: WRITE_MS,
      retry: ['listQueue', 'getReview', 'listOwnDecisions'],
    }),
    recordImages: rpcClient(RecordImageServiceService, { ...submission, timeoutMs: WRITE_MS, retry: ['listImages'] }),
    recordMessages: rpcClient(RecordMessageServiceService, { ...submission, retry: ['listMessages'] }),
    contributors: rpcClient(ContributorsServiceService, { ...submission, retry: ['listContributors'] }),
    feedback: rpcClient(FeedbackServiceService, {
      ...submission,
      timeoutMs: WRITE_MS,
      retry: ['getFeedback', 'getFeedbackImage'],
    }),
    referenceUse: rpcClient(ReferenceUseServiceService, { ...submission, timeoutMs: WRITE_MS, retry: ['countUse'] }),
    images: rpcClient(ImageServiceService, {
      ...peer,
      service: 'media-svc',
      target: config.ESD_MEDIA_TARGET,
      retry: ['getRetention'],
    }),
    imageBytes: byteProxy(config.ESD_MEDIA_HTTP, peer),
    freeze: rpcClient(FreezeServiceService, {
      ...exports,
      timeoutMs: WRITE_MS,
      retry: ['getFreezeProgress'],
    }),
    usage: rpcClient(UsageServiceService, {
      ...exports,
      retry: ['getUsage', 'getUsageByDay'],
    }),
    exportBytes: byteProxy(config.ESD_EXPORT_HTTP, peer),
    /** Checks for the warnings of the replicas of each service. */
    warnings: SERVICES.map((name): WarningCheck => ({
      name,
      check: async () => {
        const replicas = await statuses(name, targets[name], (client) =>
          client.listWarnings({}, { requestId: randomUUID(), isReserved: true }),
        );
        return [...new Set(replicas.flatMap(({ answer }) => (typeof answer === 'string' ? [] : answer.warnings)))];
      },
    })),
    replicas: serviceReplicas(targets, peer),
    /** Calls each replica of dataset-svc. */
    recordProgress: (recordId: number, call: CallOptions) =>
      datasetReplicas('dataset-svc', config.ESD_DATASET_TARGET, (client) =>
        client.getRecordProgress({ recordId }, call),
      ),
  };
}

export type Upstream = ReturnType<typeof openUpstream>;

function servicesBehind({ dataset, identity, submission, images, freeze }: Upstream) {
  return [
    { name: 'dataset-svc', channel: dataset.channel, needed: true },
    { name: 'identity-svc', channel: identity.channel, needed: false },
    { name: 'submission-svc', channel: submission.channel, needed: false },
    { name: 'media-svc', channel: images.channel, needed: false },
    { name: 'export-svc', channel: freeze.channel, needed: false },
  ];
}

/** Returns the services as dependencies of the gateway. Only dataset-svc is required, because nothing works without reads. */
export function upstreamDependencies(upstream: Upstream): Dependency[] {
  return servicesBehind(upstream).map(({ name, channel, needed }) => rpcHealthDependency(name, channel, needed));
}

export function closeUpstream(upstream: Upstream): void {
  const { exportBytes: _, imageBytes: __, replicas: ___, recordProgress: ____, warnings: _____, ...clients } = upstream;
  for (const { channel } of Object.values(clients)) channel.close();
}
