import type { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import type { Release, ReleaseServiceService } from '@esd/proto/esd/dataset/v1/releases';
import { type FileFormatName, fileFormatNames, fileFormats } from '@esd/record/catalog/file-formats';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import { type DatasetDescription, type OtherRelease, releaseUrl } from '@esd/record/metadata/description';
import { ServiceError } from '@esd/service/errors';
import type { CallOptions, RpcClient } from '@esd/service/rpc/rpc-client';
import { parseDatasetFacts } from './dataset-facts.ts';
import { datasetFigures } from './dataset-figures.ts';
import type { DatasetRevision, DatasetState } from './dataset-state.ts';

export interface DatasetDescriptions {
  /** Describes a release, by identifier or DOI. Throws VERSION_NOT_FOUND. */
  ofRelease(name: string, call: CallOptions): Promise<DatasetDescription>;
  /** Describes the dataset at a state. Throws UNAVAILABLE for an empty dataset. */
  ofState(state: DatasetState, call: CallOptions): Promise<DatasetDescription>;
}

const MAX_DESCRIPTION = 5_000;

interface Sources {
  dataset: Pick<RpcClient<typeof DatasetServiceService>, 'explore'>;
  releases: Pick<RpcClient<typeof ReleaseServiceService>, 'findRelease' | 'listReleases'>;
  /** The current facts of the dataset. */
  facts: DatasetFacts;
  /** The base URL of the API, without a trailing slash; empty if not configured. */
  root: string;
  /** Returns the newest state, whose list of papers gives the titles. Without it, papers have no titles. */
  newest?: (call: CallOptions) => Promise<DatasetRevision>;
}

/** Describes the dataset from the current responses of dataset-svc. Figures of a state are cached. */
export function datasetDescriptions({ dataset, releases, facts, root, newest }: Sources): DatasetDescriptions {
  const figuresOf = datasetFigures(dataset);
  const other = (version: Release | undefined): OtherRelease | undefined =>
    version && { version: version.identifier, url: releaseUrl(root, version.identifier), doi: version.doi };
  return {
    ofState: async (state, call) => {
      if (!state.committedAt) throw new ServiceError('UNAVAILABLE', 'The dataset is empty. Try again later.');
      const { hasImages, ...figures } = await figuresOf(state, newest && state, call);
      return {
        kind: 'dataset',
        facts,
        title: facts.title,
        description: facts.description,
        root,
        url: releaseUrl(root, 'latest'),
        license: facts.license,
        issued: state.committedAt,
        revision: state.revision,
        recordCount: state.recordCount,
        files: formatsOf(hasImages).map((format) => ({ format, url: fileUrl(root, 'latest', format) })),
        ...figures,
      };
    },
    ofRelease: async (name, call) => {
      const [version, { releases: all }] = await Promise.all([
        findRelease(releases, name, call),
        releases.listReleases({}, call),
      ]);
      const { identifier, doi, state, createdAt, files } = version;
      if (!state || !createdAt) throw new Error(`the release ${identifier} is incomplete`);
      const at = all.findIndex(({ id }) => id === version.id);
      const own = factsOf(version);
      const { hasImages, ...figures } = await figuresOf(state, await newest?.(call), call);
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
        files: formatsOf(hasImages).map((format) => {
          const { bytes, sha256 } = files.find((file) => file.format === format) ?? {};
          const stored = bytes === undefined || sha256 === undefined ? undefined : { bytes, sha256 };
          return { format, url: fileUrl(root, identifier, format), stored };
        }),
        previous: other(at < 0 ? undefined : all[at + 1]),
        next: other(at < 0 ? undefined : all[at - 1]),
        ...figures,
      };
    },
  };
}

/** Returns the formats that metadata and pages list. An archive of images is listed only if there are images; its URL always works. */
export function formatsOf(hasImages: boolean): readonly FileFormatName[] {
  return hasImages ? fileFormatNames : fileFormatNames.filter((format) => format !== 'zip');
}

/** Finds a release by identifier or DOI. Throws VERSION_NOT_FOUND. */
export async function findRelease(releases: Sources['releases'], name: string, call: CallOptions): Promise<Release> {
  const { release } = await releases.findRelease({ by: { $case: 'name', value: name } }, call);
  if (!release) throw new ServiceError('UNAVAILABLE', 'The response did not include the release. Retry in a moment.');
  return release;
}

/** Reads the facts that a release was frozen with. */
export function factsOf({ factsJson, identifier }: Release): DatasetFacts {
  return parseDatasetFacts(factsJson, `the release ${identifier}`);
}

function fileUrl(root: string, name: string, format: FileFormatName): string {
  return `${root}/files/${name}/${fileFormats[format].fileName}`;
}

/** Appends the note of the release, unless the result is too long. */
function withNote(description: string, note: string | undefined): string {
  const whole = note === undefined ? description : `${description}\n\n${note}`;
  return whole.length > MAX_DESCRIPTION ? description : whole;
}
