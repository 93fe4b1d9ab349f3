import { z } from 'zod';
import { parseDatasetFacts } from '@esd/dataset-client/dataset-facts';
import type { Version } from '@esd/proto/esd/dataset/v1/versions';
import type { ExperimentData } from '@esd/record/catalogue/catalogue';
import { fileFormatNames, isFileFormat } from '@esd/record/catalogue/file-formats';
import { parsePublicRecord } from '@esd/record/catalogue/public-record';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import type {
  DatasetDescription,
  OtherRelease,
  QueryDescription,
  RecordDescription,
} from '@esd/record/metadata/description';
import { featureFacts } from '@esd/record/metadata/feature-facts';
import { describeQuery } from '@esd/record/metadata/query-words';
import { describeRecord } from '@esd/record/metadata/record-words';
import { ServiceError } from '@esd/service/errors';
import type { PublicQueries } from '../dataset/public-queries.ts';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { type PublishedRecord, readPublished, type Withdrawn } from '../dataset/published-record.ts';
import type { Call } from '../http/call.ts';
import { LATEST } from '../schemas/release-name.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { datasetFigures } from './dataset-figures.ts';

/** Describes what can be cited. A release is named by identifier or DOI, `latest` is the dataset as it is now. */
export interface Descriptions {
  /** Throws VERSION_NOT_FOUND. */
  ofDataset(name: string, call: Call): Promise<DatasetDescription>;
  /** Throws VERSION_NOT_FOUND, RECORD_NOT_FOUND and RECORD_WITHDRAWN. */
  ofRecord(name: string, recordId: number, call: Call): Promise<DescribedRecord>;
  /** Throws QUERY_NOT_FOUND. */
  ofQuery(id: string, call: Call): Promise<QueryDescription>;
}

/** A record with what it was described from. */
export interface DescribedRecord {
  description: RecordDescription;
  record: ExperimentData;
  /** Its features in the units of their filters. */
  normalized: Readonly<Record<string, number>>;
  revision: number;
  /** The releases that hold this revision, newest first. */
  versions: readonly string[];
  /** If the record of a release has been withdrawn since. */
  withdrawn: Withdrawn | undefined;
  /** What dataset-svc answered. */
  found: PublishedRecord;
  /** The dataset revision at which it was read. */
  datasetRevision: number;
}

const MAX_DESCRIPTION = 5_000;
const numbers = z.record(z.string(), z.number());

interface Sources {
  upstream: Pick<Upstream, 'dataset' | 'versions'>;
  states: DatasetStates;
  queries: PublicQueries;
  /** Of the dataset as it is now. */
  facts: DatasetFacts;
  /** See `publicRoot`. */
  root: string;
}

/** Descriptions from what the services say at this moment; what follows from the records of a state is kept. */
export function descriptions({ upstream: { dataset, versions }, states, queries, facts, root }: Sources): Descriptions {
  const figuresOf = datasetFigures(dataset);
  const find = async (name: string, call: Call): Promise<Version> => {
    const { version } = await versions.findVersion({ by: { $case: 'name', value: name } }, call);
    if (!version) throw new ServiceError('UNAVAILABLE', 'The version did not come; try again.');
    return version;
  };
  const other = (version: Version | undefined): OtherRelease | undefined =>
    version && { version: version.identifier, url: releaseUrl(root, version.identifier), doi: version.doi };

  const ofLatest = async (call: Call): Promise<DatasetDescription> => {
    const state = await states.current(call);
    if (!state.committedAt) throw new ServiceError('UNAVAILABLE', 'The dataset holds nothing yet; try again later.');
    return {
      kind: 'dataset',
      facts,
      title: facts.title,
      description: facts.description,
      root,
      url: releaseUrl(root, LATEST),
      license: facts.license,
      issued: state.committedAt,
      revision: state.revision,
      recordCount: state.recordCount,
      files: fileFormatNames.map((format) => ({ format, url: fileUrl(root, LATEST, format) })),
      ...(await figuresOf(state, call)),
    };
  };

  const ofRelease = async (name: string, call: Call): Promise<DatasetDescription> => {
    const [version, { versions: all }] = await Promise.all([find(name, call), versions.listVersions({}, call)]);
    const { identifier, doi, state, createdAt, files } = version;
    if (!state || !createdAt) throw new Error(`the version ${identifier} is not whole`);
    const at = all.findIndex(({ id }) => id === version.id);
    const own = factsOf(version, facts);
    return {
      kind: 'dataset',
      facts: own,
      title: own.title,
      description: withNote(own.description, version.description),
      root,
      url: releaseUrl(root, identifier),
      version: identifier,
      doi,
      license: version.license ?? own.license,
      issued: createdAt,
      revision: state.revision,
      recordCount: state.recordCount,
      files: files.flatMap(({ format, bytes, sha256 }) =>
        isFileFormat(format) ? [{ format, url: fileUrl(root, identifier, format), stored: { bytes, sha256 } }] : [],
      ),
      previous: other(at < 0 ? undefined : all[at + 1]),
      next: other(at < 0 ? undefined : all[at - 1]),
      ...(await figuresOf(state, call)),
    };
  };

  return {
    ofDataset: (name, call) => (name === LATEST ? ofLatest(call) : ofRelease(name, call)),
    ofRecord: async (name, recordId, call) => {
      const version = name === LATEST ? undefined : await find(name, call);
      const revision = version?.state?.revision;
      const found = await readPublished({ dataset }, { recordId, revision, atLeast: states.seen() }, call);
      const { publishedAt, firstPublishedAt, withdrawn, state } = found;
      if (!state) throw new ServiceError('UNAVAILABLE', 'The dataset did not say which state it is in; try again.');
      const { data: record } = parsePublicRecord(Buffer.from(found.recordJson).toString());
      const normalized = numbers.parse(JSON.parse(Buffer.from(found.normalizedJson).toString()));
      const values = featureFacts.flatMap((feature) => {
        const value = normalized[feature.feature];
        return value === undefined ? [] : [{ feature, value }];
      });
      const own = version ? factsOf(version, facts) : facts;
      const identifier = version?.identifier;
      const description: RecordDescription = {
        kind: 'record',
        facts: own,
        ...describeRecord(recordId, record, values, own),
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
        found,
        datasetRevision: revision ?? state.revision,
      };
    },
    ofQuery: async (id, call) => {
      const query = await queries.find(id, call);
      const release = query.version === LATEST ? undefined : await find(query.version, call);
      const own = release ? factsOf(release, facts) : facts;
      const found = {
        version: release?.identifier,
        revision: query.state.revision,
        recordCount: query.recordCount,
        digest: query.digest,
      };
      const url = `${root}/public/queries/${id}`;
      // Chosen members are not what the other formats hold.
      const formats = query.fields === undefined ? fileFormatNames : (['json'] as const);
      return {
        kind: 'query',
        facts: own,
        ...describeQuery(query.filterJson, found, own),
        ...found,
        queryId: id,
        issued: query.createdAt,
        root,
        url,
        license: release?.license ?? own.license,
        // Its rows are known, not which papers they name.
        papers: [],
        files: formats.map((format) => ({ format, url: `${url}/export?format=${format}` })),
        dataset: { url: releaseUrl(root, release?.identifier ?? LATEST), doi: release?.doi },
      };
    },
  };
}

function releaseUrl(root: string, name: string): string {
  return `${root}/release/${name}`;
}

function fileUrl(root: string, name: string, format: string): string {
  return `${root}/public/dataset/${name}/export?format=${format}`;
}

/** The facts that a release has kept; those of today until the ones of a release of before have been filled in. */
function factsOf({ factsJson, identifier }: Version, today: DatasetFacts): DatasetFacts {
  return factsJson === undefined ? today : parseDatasetFacts(factsJson, `the version ${identifier}`);
}

/** What is said of the dataset, and of this release. */
function withNote(description: string, note: string | undefined): string {
  const whole = note === undefined ? description : `${description}\n\n${note}`;
  return whole.length > MAX_DESCRIPTION ? description : whole;
}
