import { z } from 'zod';
import { datasetFacts } from './dataset-facts.ts';
import { integerText } from './number-text.ts';
import { operation, type Description } from './operation.ts';
import { releaseFile } from './release-file.ts';
import { LATEST } from './release-name.ts';

export const stateName = z.enum(['BUILDING', 'FROZEN', 'FAILED']);

/** A release with its state, for administrators. */
export const administeredRelease = z
  .strictObject({
    id: z.int(),
    versionIdentifier: z.string(),
    state: stateName,
    recordCount: z.int(),
    createdAt: z.iso.datetime().meta({ description: 'The time at which the data were frozen.' }),
    doi: z.string().nullable(),
    license: z.string().nullable(),
    description: z.string().optional(),
    digest: z.string().optional().meta({ description: 'Absent until the release is frozen.' }),
    files: z.array(releaseFile).meta({ description: 'Empty until the release is frozen.' }),
    reason: z.string().optional().meta({ description: 'The reason why the freeze failed.' }),
    dataset: datasetFacts
      .optional()
      .meta({ description: 'The dataset metadata of the release, as recorded by the freeze.' }),
  })
  .meta({ id: 'Version' });

const releaseWithProgress = administeredRelease.extend({
  filesDone: z.int().optional().meta({ description: 'The number of stored files; absent if the freeze failed.' }),
  filesTotal: z.int().optional().meta({ description: 'The number of files of the release when it is frozen.' }),
});

const started = z.strictObject({ id: z.int(), versionIdentifier: z.string(), state: stateName });

const startBody = z.strictObject({
  versionIdentifier: z
    .string()
    .meta({ description: '`vMAJOR.MINOR.PATCH`, optionally with a pre-release such as `-rc.1`.' }),
  description: z.string().optional(),
  doi: z.string().optional(),
  license: z.string().optional().meta({ description: 'Defaults to CC-BY-4.0.' }),
});

const changeBody = z.strictObject({
  doi: z.string().nullable().optional(),
  license: z.string().nullable().optional(),
  description: z.string().nullable().optional(),
  dataset: datasetFacts.optional().meta({ description: 'Replaces the dataset metadata of the release.' }),
});

const ofRelease = {
  tag: 'Administration',
  errors: ['FORBIDDEN', 'VERSION_NOT_FOUND'],
} satisfies Partial<Description>;

const releaseId = z.object({ id: integerText(1, Number.MAX_SAFE_INTEGER) });

export const freezeRelease = operation({
  method: 'post',
  path: '/admin/versions',
  caller: 'required',
  role: 'ADMIN',
  describe: {
    ...ofRelease,
    summary: 'Freeze the latest dataset as a release',
    details:
      'Requires the role ADMIN. The release contains the current data, and is listed once its files are stored. A failed freeze can be repeated with the same identifier.',
    returns: 'The release. Its state is at `/admin/versions/{id}`.',
    status: 202,
    answerHeaders: { Location: 'The URL of the release.' },
    errors: ['FORBIDDEN', 'CONFLICT'],
    example: { body: { versionIdentifier: 'v1.1.0', description: 'The second release.' } },
  },
  body: startBody,
  response: started,
});

export const getFreeze = operation({
  method: 'get',
  path: '/admin/versions/{id}',
  caller: 'required',
  role: 'ADMIN',
  describe: {
    ...ofRelease,
    summary: 'Get a release in any state',
    details: 'Requires the role ADMIN. While the state is BUILDING, `filesDone` of `filesTotal` files are stored.',
    returns: 'The release, with the reason if the freeze failed.',
    example: { parameters: { id: 1 } },
  },
  parameters: releaseId,
  response: releaseWithProgress,
});

export const changeRelease = operation({
  method: 'patch',
  path: '/admin/versions/{id}',
  caller: 'required',
  role: 'ADMIN',
  describe: {
    ...ofRelease,
    summary: 'Change the description of a release',
    details: 'Requires the role ADMIN. `null` removes a value. The data of a release never change.',
    returns: 'The release.',
    errors: ['FORBIDDEN', 'VERSION_NOT_FOUND', 'CONFLICT'],
    example: { parameters: { id: 1 }, body: { doi: '10.5281/zenodo.1234567' } },
  },
  parameters: releaseId,
  body: changeBody,
  response: administeredRelease,
});

/** An entry of the release list. */
export const release = z.strictObject({
  id: z.int(),
  versionIdentifier: z.string(),
  datasetRevision: z.int().meta({ description: 'The dataset revision of the release.' }),
  recordCount: z.int(),
  createdAt: z.iso.datetime(),
  doi: z.string().nullable(),
  license: z.string().nullable(),
  description: z.string().optional(),
  digest: z.string().meta({ description: 'SHA-256 of the canonical JSON (RFC 8785) of the records.' }),
  files: z.array(releaseFile).meta({ description: 'The stored files.' }),
});

const difference = z.strictObject({
  from: z.string(),
  to: z.string(),
  added: z.array(z.int()).meta({ description: 'Record ids.' }),
  removed: z.array(z.int()).meta({ description: 'Record ids.' }),
  changed: z.array(
    z.strictObject({
      recordId: z.int(),
      fields: z.array(z.string()).meta({ description: 'Paths of the fields that differ.' }),
    }),
  ),
});

const sideText = z
  .string()
  .meta({ description: 'A release identifier, a DOI with percent-encoded slashes, or `latest`.' });

export const listReleases = operation({
  method: 'get',
  path: '/public/dataset/versions',
  caller: 'ignored',
  describe: {
    tag: 'Dataset',
    summary: 'List the releases of the dataset',
    details:
      'The records of a release never change. `docs/versions.md` in the repository explains how the digest is computed.',
    returns: 'The releases, newest first.',
    revalidates: true,
  },
  response: z.array(release),
});

export const getReleaseDifferences = operation({
  method: 'get',
  path: '/public/dataset/versions/{from}/diff/{to}',
  caller: 'ignored',
  describe: {
    tag: 'Dataset',
    summary: 'Compare two releases',
    details: 'A record that was published again unchanged counts as unchanged.',
    returns: 'The records that were added, removed and changed, each in ascending order of id.',
    revalidates: true,
    errors: ['VERSION_NOT_FOUND'],
    example: { parameters: { from: 'v1.0.0', to: LATEST } },
  },
  parameters: z.object({ from: sideText, to: sideText }),
  response: difference,
});
