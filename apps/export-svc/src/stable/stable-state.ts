import type { ReleaseServiceService } from '@esd/proto/esd/dataset/v1/releases';
import { ServiceError } from '@esd/service/errors';
import type { EndpointCall } from '@esd/service/http/internal-endpoints';
import type { RpcClient } from '@esd/service/rpc/rpc-client';
import { type DatasetState, readStateSeen } from '@esd/dataset-client/dataset-state';
import { type DatasetReader, openScan, PLAIN } from '../files/open-scan.ts';
import { findSource, type Source, type SourceParts, sourceOfLatest } from '../export/find-source.ts';

export interface StateParts extends SourceParts {
  dataset: DatasetReader;
  releases: SourceParts['releases'] & Pick<RpcClient<typeof ReleaseServiceService>, 'listReleases'>;
}

/** A release or dataset revision, whose files have permanent URLs. */
export interface StableState {
  source: Source;
  datasetId: string;
  revision: number;
  /** Whether missing files are built. An older dataset revision only has files from the time when it was latest. */
  isBuilt: boolean;
}

const REVISION = /^r(\d{1,15})$/;

/**
 * Finds a release by its identifier, or a dataset revision by `r` and its number. Throws VERSION_NOT_FOUND, also for a
 * revision that does not exist yet.
 */
export async function findStableState(parts: StateParts, name: string, call: EndpointCall): Promise<StableState> {
  const [, digits] = REVISION.exec(name) ?? [];
  if (digits === undefined) {
    const source = await findSource(
      parts,
      { source: { $case: 'versionName', value: name }, filter: undefined, form: PLAIN },
      call,
    );
    const { datasetId, revision } = source;
    if (datasetId === undefined || revision === undefined) throw new Error('the release has no state');
    return { source, datasetId, revision, isBuilt: true };
  }
  const { state } = await parts.dataset.getHead({ atLeast: readStateSeen(call) }, call);
  if (!state) throw new Error('the dataset has no state');
  const revision = Number(digits);
  if (revision > state.revision) throw await revisionNotFound(parts, name, call);
  const { datasetId } = state;
  const source = { ...sourceOfLatest(parts.facts), datasetId, revision, fileName: name };
  return { source, datasetId, revision, isBuilt: revision === state.revision };
}

export async function revisionNotFound(parts: StateParts, name: string, call: EndpointCall): Promise<ServiceError> {
  const { releases } = await parts.releases.listReleases({}, call);
  const known = ['latest', ...releases.map(({ identifier }) => identifier)].join(', ');
  return new ServiceError('VERSION_NOT_FOUND', `There are no stored files of "${name}"; use one of ${known}.`);
}

export async function readState(dataset: DatasetReader, revision: number, call: EndpointCall): Promise<DatasetState> {
  const scan = await openScan(dataset, { revision }, call);
  await scan.close();
  return scan.state;
}
