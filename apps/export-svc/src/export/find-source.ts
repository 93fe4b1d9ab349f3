import { factsOf } from '@esd/dataset-client/dataset-descriptions';
import type { Query, QueryServiceService } from '@esd/proto/esd/dataset/v1/queries';
import type { Snapshot, SnapshotServiceService } from '@esd/proto/esd/dataset/v1/snapshots';
import type { Release, ReleaseFile, ReleaseServiceService } from '@esd/proto/esd/dataset/v1/releases';
import type { Filter } from '@esd/record/filter/filter';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import type { EndpointCall } from '@esd/service/http/internal-endpoints';
import type { RpcClient } from '@esd/service/rpc/rpc-client';
import type { About } from '../files/file-contents.ts';
import type { WantedExport } from './read-export-request.ts';

/** What finds states: the clients of dataset-svc, and what is said of the dataset as it is now. */
export interface SourceParts {
  facts: DatasetFacts;
  releases: Pick<RpcClient<typeof ReleaseServiceService>, 'findRelease'>;
  snapshots: Pick<RpcClient<typeof SnapshotServiceService>, 'getSnapshot'>;
  queries: Pick<RpcClient<typeof QueryServiceService>, 'getQuery'>;
}

/** The records that are exported, and what their file says of them. */
export interface Source {
  /** As the file has it. */
  name: string;
  kind: About['kind'];
  /** The identifier of the release that the records are of; `latest` of any other state. */
  version: string;
  /** Part of the file name; absent: made from the revision. */
  fileName?: string;
  cacheControl: string;
  /** Absent: the newest. */
  revision?: number;
  /** Of a personal snapshot, whose rows are exported as they are listed. */
  snapshotId?: number;
  /** Of a public query, whose rows are exported as they are listed. */
  queryId?: string;
  /** The order of the query, for its file; that of the rows already. */
  sort?: string | undefined;
  /** The dataset of that revision, where it is known. */
  datasetId?: string;
  /** The date of a release or a snapshot; else the state's own is meant. */
  date?: Date | undefined;
  doi?: string | undefined;
  license: string;
  /** Of the dataset, or those that the release has kept. */
  facts: DatasetFacts;
  /** Of the records of a release. */
  digest?: string | undefined;
  /** Of a release: the job that stored its files, and the files that it was frozen with. */
  frozen?: { jobId: string | undefined; files: readonly ReleaseFile[] };
  /** Absent: every record. The rows of a snapshot or query are listed; its filter has no conditions. */
  filter?: { text: string; conditions?: Filter } | undefined;
}

export const REVALIDATED = 'no-cache';
const PRIVATE = 'private, no-cache';
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** What depends on rules too, which change with a release of the service. */
const BY_RULES = 'public, max-age=86400';

/** Finds what is exported. Throws VERSION_NOT_FOUND, SNAPSHOT_NOT_FOUND, QUERY_NOT_FOUND, TOKEN_INVALID. */
export async function findSource(
  parts: SourceParts,
  { source, filter, form }: Pick<WantedExport, 'source' | 'filter' | 'form'>,
  call: EndpointCall,
): Promise<Source> {
  const found = await findState(parts, source, call);
  const dependsOnRules = filter !== undefined || form.sort.length > 0 || form.normalized;
  const isByRules = dependsOnRules && found.cacheControl === IMMUTABLE;
  return { ...found, filter: found.filter ?? filter, ...(isByRules ? { cacheControl: BY_RULES } : {}) };
}

async function findState(
  { releases, snapshots, queries, facts }: SourceParts,
  source: WantedExport['source'],
  call: EndpointCall,
) {
  switch (source?.$case) {
    case undefined:
      return sourceOfLatest(facts);
    case 'versionName':
      return ofRelease(
        (await releases.findRelease({ by: { $case: 'name', value: source.value } }, call)).release,
        source.value,
      );
    case 'releaseId':
      return ofRelease((await releases.findRelease({ by: { $case: 'id', value: source.value } }, call)).release);
    case 'snapshot': {
      const { id, ownerAssertion } = source.value;
      const assertions = new Map([['esd.dataset.v1.SnapshotService', ownerAssertion]]);
      return ofSnapshot((await snapshots.getSnapshot({ id }, { ...call, assertions })).snapshot, facts);
    }
    case 'queryId':
      return ofQuery((await queries.getQuery({ id: source.value }, call)).query, facts);
  }
}

const LATEST = 'latest';
const EVERY_RECORD = '{}';

/** The dataset as it is now. */
export function sourceOfLatest(facts: DatasetFacts): Source {
  return { name: LATEST, kind: 'latest', version: LATEST, cacheControl: REVALIDATED, license: facts.license, facts };
}

function ofRelease(version: Release | undefined, asked?: string): Source {
  if (!version?.state) throw new Error('a version without its state');
  const { identifier: name, state, createdAt: date, doi, license, jobId, files, digest } = version;
  const facts = factsOf(version);
  const { datasetId, revision } = state;
  const frozen = { jobId, files };
  // A DOI may be given to another release.
  const cacheControl = asked === undefined || asked === name ? IMMUTABLE : REVALIDATED;
  const named = { name, kind: 'version', version: name, fileName: name, cacheControl } as const;
  return { ...named, datasetId, revision, date, doi, license: license ?? facts.license, facts, digest, frozen };
}

function ofSnapshot(snapshot: Snapshot | undefined, facts: DatasetFacts): Source {
  if (!snapshot?.state || !snapshot.createdAt) throw new Error('a snapshot without its state');
  const { id, name, state, createdAt, filterJson } = snapshot;
  const named = { name, kind: 'snapshot', version: LATEST, fileName: `snapshot-${id}`, cacheControl: PRIVATE } as const;
  const { revision } = state;
  return {
    ...named,
    revision,
    snapshotId: id,
    date: createdAt,
    license: facts.license,
    facts,
    filter: listedBy(filterJson),
  };
}

function ofQuery(query: Query | undefined, facts: DatasetFacts): Source {
  if (!query?.state || !query.createdAt) throw new Error('a query without its state');
  const { id, version, state, createdAt: date, filterJson, sort } = query;
  const named = { name: id, kind: 'query', version, fileName: `query-${id}`, cacheControl: IMMUTABLE } as const;
  return { ...named, ...state, queryId: id, date, license: facts.license, facts, filter: listedBy(filterJson), sort };
}

/** The filter that once found the listed rows. It is never parsed again, because later rules may refuse it. */
function listedBy(text: string): Source['filter'] {
  return text === EVERY_RECORD ? undefined : { text };
}
