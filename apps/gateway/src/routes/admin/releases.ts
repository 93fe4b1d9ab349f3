import { z } from 'zod';
import { type Release, ReleaseState } from '@esd/proto/esd/dataset/v1/releases';
import { datasetFacts, parseDatasetFacts } from '@esd/dataset-client/dataset-facts';
import type { Releases } from '../../dataset/releases.ts';
import type { Call } from '../../http/call.ts';
import { jsonBody } from '../../http/body/json-body.ts';
import type { Description } from '@esd/api/operation';
import { locationOf } from '../../http/public-url.ts';
import { integerText } from '@esd/api/number-text';
import { route, type Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { releaseFile } from '../../schemas/release-file.ts';

const stateName = z.enum(['BUILDING', 'FROZEN', 'FAILED']);
const release = z
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

export function adminReleaseRoutes(
  releases: Pick<Releases, 'invalidate'>,
  { freeze, releases: client }: Pick<Upstream, 'freeze' | 'releases'>,
): Route[] {
  return [
    route({
      method: 'post',
      path: '/admin/versions',
      caller: 'required',
      role: 'ADMIN',
      targets: ['esd.export.v1.FreezeService'],
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
      body: jsonBody(startBody),
      answer: started,
      handle: async ({ body, request, call }, response) => {
        const { id, versionIdentifier, state } = await freeze.startFreeze(body, call);
        response
          .status(202)
          .set({ Location: locationOf(request, `/admin/versions/${id}`), 'Cache-Control': 'no-store' })
          .json({ id, versionIdentifier, state: stateName.parse(state) });
      },
    }),
    route({
      method: 'get',
      path: '/admin/versions/:id',
      caller: 'required',
      role: 'ADMIN',
      targets: ['esd.dataset.v1.ReleaseService', 'esd.export.v1.FreezeService'],
      describe: {
        ...ofRelease,
        summary: 'Get a release in any state',
        details: 'Requires the role ADMIN. While the state is BUILDING, `filesDone` of `filesTotal` files are stored.',
        returns: 'The release, with the reason if the freeze failed.',
        example: { parameters: { id: 1 } },
      },
      parameters: releaseId,
      answer: releaseWithProgress,
      handle: async ({ parameters: { id }, call }, response) => {
        const found = releaseOf((await client.getRelease({ id }, call)).release);
        response.set('Cache-Control', 'no-store').json({ ...found, ...(await progressOf(found, freeze, call)) });
      },
    }),
    route({
      method: 'patch',
      path: '/admin/versions/:id',
      caller: 'required',
      role: 'ADMIN',
      targets: ['esd.dataset.v1.ReleaseService'],
      describe: {
        ...ofRelease,
        summary: 'Change the description of a release',
        details: 'Requires the role ADMIN. `null` removes a value. The data of a release never change.',
        returns: 'The release.',
        errors: ['FORBIDDEN', 'VERSION_NOT_FOUND', 'CONFLICT'],
        example: { parameters: { id: 1 }, body: { doi: '10.5281/zenodo.1234567' } },
      },
      parameters: releaseId,
      body: jsonBody(changeBody),
      answer: release,
      handle: async ({ parameters: { id }, body, call }, response) => {
        const { doi, license, description, dataset } = body;
        const answer = await client.describeRelease(
          {
            id,
            doi: changeOf(doi),
            license: changeOf(license),
            description: changeOf(description),
            factsJson: dataset === undefined ? undefined : JSON.stringify(dataset),
          },
          call,
        );
        releases.invalidate();
        response.set('Cache-Control', 'no-store').json(releaseOf(answer.release));
      },
    }),
  ];
}

/** Returns the progress of the freeze; empty for a failed one. */
async function progressOf({ id, state, files }: z.output<typeof release>, freeze: Upstream['freeze'], call: Call) {
  if (state === 'FAILED') return {};
  if (state === 'FROZEN') return { filesDone: files.length, filesTotal: files.length };
  const { filesDone, files: filesTotal } = await freeze.getFreezeProgress({ id }, call);
  return { filesDone, filesTotal };
}

function changeOf(text: string | null | undefined): { text?: string } | undefined {
  if (text === undefined) return undefined;
  return text === null ? {} : { text };
}

const STATES = {
  [ReleaseState.RELEASE_STATE_BUILDING]: 'BUILDING',
  [ReleaseState.RELEASE_STATE_FROZEN]: 'FROZEN',
  [ReleaseState.RELEASE_STATE_FAILED]: 'FAILED',
} as const;

function releaseOf(message: Release | undefined): z.output<typeof release> {
  if (!message?.state || !message.createdAt || message.releaseState === ReleaseState.RELEASE_STATE_UNSPECIFIED) {
    throw new Error('the release is incomplete');
  }
  const { id, identifier, releaseState, state, createdAt, doi, license, description } = message;
  const { digest, files, failure, factsJson } = message;
  return {
    id,
    versionIdentifier: identifier,
    state: STATES[releaseState],
    recordCount: state.recordCount,
    createdAt: createdAt.toISOString(),
    doi: doi ?? null,
    license: license ?? null,
    ...(description === undefined ? {} : { description }),
    ...(digest === undefined ? {} : { digest }),
    files,
    ...(failure === undefined ? {} : { reason: failure }),
    dataset: parseDatasetFacts(factsJson, `release ${identifier}`),
  };
}
