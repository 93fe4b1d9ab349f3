import { datasetFacts } from './dataset-facts.ts';
import { z } from 'zod';
import { integerText } from './number-text.ts';
import { type Description, operation } from './operation.ts';
import { releaseFile } from './release-file.ts';

export const stateName = z.enum(['BUILDING', 'FROZEN', 'FAILED']);

export const release = z
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

const releaseWithProgress = release.extend({
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
  response: release,
});
