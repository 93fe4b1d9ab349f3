import { LATEST } from '@esd/api/release-name';
import { z } from 'zod';
import { datasetDescriptions, factsOf, findRelease, formatsOf } from '@esd/dataset-client/dataset-descriptions';
import { hasImages } from '@esd/dataset-client/has-images';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import {
  type DatasetDescription,
  type QueryDescription,
  type RecordDescription,
  releaseUrl,
} from '@esd/record/metadata/description';
import { featureFacts } from '@esd/record/metadata/feature-facts';
import { describeQuery } from '@esd/record/metadata/describe-query';
import { describeRecord } from '@esd/record/metadata/describe-record';
import type { PaperSummary } from '@esd/record/papers/paper';
import type { PublicQueries } from '../dataset/public-queries.ts';
import { type DatasetStates, requireState } from '../dataset/dataset-states.ts';
import { type PublishedRecord, readPublished, type Withdrawn } from '../dataset/published-record.ts';
import type { Call } from '../http/call.ts';
import { readKnown } from './read-known.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** The descriptions of citable resources. `name` is the identifier or DOI of a release, or `latest`. */
export interface Descriptions {
  /** Throws VERSION_NOT_FOUND. */
  ofDataset(name: string, call: Call): Promise<DatasetDescription>;
  /** Throws VERSION_NOT_FOUND, RECORD_NOT_FOUND and RECORD_WITHDRAWN. */
  ofRecord(name: string, recordId: number, call: Call): Promise<DescribedRecord>;
  /** Throws QUERY_NOT_FOUND. */
  ofQuery(id: string, call: Call): Promise<QueryDescription>;
}

export interface DescribedRecord {
  description: RecordDescription;
  record: ExperimentData;
  /** The features in the units of their filters. */
  normalized: Readonly<Record<string, number>>;
  revision: number;
  /** The identifiers of the releases that contain this revision, newest first. */
  versions: readonly string[];
  /** Set if the record of a release has been withdrawn since. */
  withdrawn: Withdrawn | undefined;
  /** The paper of the record; undefined without one. */
  paper: PaperSummary | undefined;
  found: PublishedRecord;
  datasetRevision: number;
}

const numbers = z.record(z.string(), z.number());

interface Sources {
  upstream: Pick<Upstream, 'dataset' | 'releases'>;
  states: DatasetStates;
  queries: PublicQueries;
  /** The metadata of the latest dataset. */
  facts: DatasetFacts;
  /** See `publicRoot`. */
  root: string;
}

/** Creates the descriptions from current data of the services. Caches what depends only on the records of a state. */
export function descriptions({ upstream: { dataset, releases }, states, queries, facts, root }: Sources): Descriptions {
  const ofWhole = datasetDescriptions({ dataset, releases, facts, root, newest: states.current });
  return {
    ofDataset: async (name, call) =>
      name === LATEST ? ofWhole.ofState(await states.current(call), call) : ofWhole.ofRelease(name, call),
    ofRecord: async (name, recordId, call) => {
      const version = name === LATEST ? undefined : await findRelease(releases, name, call);
      const revision = version?.state?.revision;
      const wanted = { recordId, revision, atLeast: states.latest(), paper: true };
      const found = await readPublished({ dataset }, wanted, call);
      const { publishedAt, firstPublishedAt, withdrawn } = found;
      const state = requireState(found.state);
      const { data: record } = parsePublicRecord(Buffer.from(found.recordJson).toString());
      const normalized = numbers.parse(JSON.parse(Buffer.from(found.normalizedJson).toString()));
      const values = featureFacts.flatMap((feature) => {
        const value = normalized[feature.feature];
        return value === undefined ? [] : [{ feature, value }];
      });
      const [paper] = readKnown(found).papers;
      const own = version ? factsOf(version) : facts;
      const identifier = version?.identifier;
      const description: RecordDescription = {
        kind: 'record',
        facts: own,
        ...describeRecord(recordId, record, values, own, paper),
        values,
        issued: firstPublishedAt,
        modified: publishedAt,
        root,
        url: `${root}/record/${recordId}${identifier === undefined ? '' : `?version=${identifier}`}`,
        version: identifier,
        license: version?.license ?? own.license,
        recordId,
        dataset: { url: releaseUrl(root, identifier ?? LATEST), doi: version?.doi },
        dataUrl: `${root}/public/dataset/${identifier ?? LATEST}/records/${recordId}`,
      };
      return {
        description,
        record,
        normalized,
        revision: found.recordRevision,
        versions: found.versions,
        withdrawn,
        paper,
        found,
        datasetRevision: revision ?? state.revision,
      };
    },
    ofQuery: async (id, call) => {
      const query = await queries.find(id, call);
      const release = query.version === LATEST ? undefined : await findRelease(releases, query.version, call);
      const own = release ? factsOf(release) : facts;
      const found = {
        version: release?.identifier,
        revision: query.state.revision,
        recordCount: query.recordCount,
        digest: query.digest,
      };
      const url = `${root}/public/queries/${id}`;
      // The other formats do not support chosen fields.
      const formats =
        query.fields === undefined
          ? formatsOf(await hasImages(dataset, { queryId: id, atLeast: undefined }, call))
          : (['json'] as const);
      return {
        kind: 'query',
        facts: own,
        ...describeQuery(query.filterJson, { ...found, once: query.once }, own),
        ...found,
        queryId: id,
        issued: query.createdAt,
        root,
        url,
        license: release?.license ?? own.license,
        // A query stores its rows, but not their papers.
        papers: [],
        files: formats.map((format) => ({ format, url: `${url}/export?format=${format}` })),
        dataset: { url: releaseUrl(root, release?.identifier ?? LATEST), doi: release?.doi },
      };
    },
  };
}
