import { factsOf } from '@esd/dataset-client/dataset-descriptions';
import type { Query, QueryServiceService } from '@esd/proto/esd/dataset/v1/queries';
import type { Snapshot, SnapshotServiceService } from '@esd/proto/esd/dataset/v1/snapshots';
import type { Release, ReleaseFile, ReleaseServiceService } from '@esd/proto/esd/dataset/v1/releases';
import type { Filter } from '@esd/record/filter/filter';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import { LATEST } from '@esd/record/metadata/dataset-path';
import type { EndpointCall } from '@esd/service/http/internal-endpoints';
import type { RpcClient } from '@esd/service/rpc/rpc-client';
import type { About } from '../files/file-contents.ts';
import type { WantedExport } from './read-export-request.ts';

export interface SourceParts {
  facts: DatasetFacts;
  releases: Pick<RpcClient<typeof ReleaseServiceService>, 'findRelease'>;
  snapshots: Pick<RpcClient<typeof SnapshotServiceService>, 'getSnapshot'>;
  queries: Pick<RpcClient<typeof QueryServiceService>, 'getQuery'>;
}

/** The source of the exported records, and the facts that the file contains. */
export interface Source {
  name: string;
  kind: About['kind'];
  /** The identifier of a release; `latest` for any other source. */
  version: string;
  /** A part of the file name. By default, it is made from the dataset revision. */
  fileName?: string;
  cacheControl: string;
  /** Absent for latest. */
  revision?: number;
  /** The id of a personal snapshot, whose stored records are exported. */
  snapshotId?: number;
  /** The id of a public query, whose stored records are exported. */
  queryId?: string;
  /** The order of the query as text for the file. Its stored records are already in this order. */
  sort?: string | undefined;
  /** Whether a public query has one record of each group of records that repeat each other. */
  once?: boolean;
  datasetId?: string;
  /** The date of a release, personal snapshot or public query. Absent for the date of the dataset revision. */
  date?: Date | undefined;
  doi?: string | undefined;
  license: string;
  /** The current facts of the dataset, or those frozen with the release. */
  facts: DatasetFacts;
  digest?: string | undefined;
  /** The frozen files of a release and the job that stored them; set only for a release. */
  frozen?: { jobId: string | undefined; files: readonly ReleaseFile[] };
  /**
   * Absent for all records. Personal snapshots and public queries store their records, so their filter has no
   * conditions.
   */
  filter?: { text: string; conditions?: Filter } | undefined;
}

export const REVALIDATED = 'no-cache';
const PRIVATE = 'private, no-cache';
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** The caching of content that depends on rules, which can change with a software release. */
const BY_RULES = 'public, max-age=86400';

/** Finds the source of an export. Throws VERSION_NOT_FOUND, SNAPSHOT_NOT_FOUND, QUERY_NOT_FOUND or TOKEN_INVALID. */
export async function findSource(
  parts: SourceParts,
  { source, filter, form }: Pick<WantedExport, 'source' | 'filter' | 'form'>,
  call: EndpointCall,
): Promise<Source> {
  const found = await findState(parts, source, call);
  const dependsOnRules = filter !== undefined || form.sort.length > 0 || form.normalized || form.once;
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

const EVERY_RECORD = '{}';

export function sourceOfLatest(facts: DatasetFacts): Source {
  return { name: LATEST, kind: 'latest', version: LATEST, cacheControl: REVALIDATED, license: facts.license, facts };
}

function ofRelease(version: Release | undefined, requested?: string): Source {
  if (!version?.state) throw new Error('the release has no state');
  const { identifier: name, state, createdAt: date, doi, license, jobId, files, digest } = version;
  const facts = factsOf(version);
  const { datasetId, revision } = state;
  const frozen = { jobId, files };
  // A DOI can be reassigned to another release.
  const cacheControl = requested === undefined || requested === name ? IMMUTABLE : REVALIDATED;
  const named = { name, kind: 'version', version: name, fileName: name, cacheControl } as const;
  return { ...named, datasetId, revision, date, doi, license: license ?? facts.license, facts, digest, frozen };
}

function ofSnapshot(snapshot: Snapshot | undefined, facts: DatasetFacts): Source {
  if (!snapshot?.state || !snapshot.createdAt) throw new Error('the snapshot has no state');
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
  if (!query?.state || !query.createdAt) throw new Error('the query has no state');
  const { id, version, state, createdAt: date, filterJson, sort, once } = query;
  const named = { name: id, kind: 'query', version, fileName: `query-${id}`, cacheControl: IMMUTABLE } as const;
  const filter = listedBy(filterJson);
  return { ...named, ...state, queryId: id, date, license: facts.license, facts, filter, sort, once };
}

/** Returns the filter text of stored records. The text is not parsed again, because later rules may reject it. */
function listedBy(text: string): Source['filter'] {
  return text === EVERY_RECORD ? undefined : { text };
}
