import type { z } from 'zod';
import { type Release, ReleaseState } from '@esd/proto/esd/dataset/v1/releases';
import { parseDatasetFacts } from '@esd/dataset-client/dataset-facts';
import { type administeredRelease, changeRelease, freezeRelease, getFreeze, stateName } from '@esd/api/releases';
import type { Releases } from '../../dataset/releases.ts';
import type { Call } from '../../http/call.ts';
import { locationOf } from '../../http/public-url.ts';
import type { Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function adminReleaseRoutes(
  releases: Pick<Releases, 'invalidate'>,
  { freeze, releases: client }: Pick<Upstream, 'freeze' | 'releases'>,
): Route[] {
  return [
    serve(freezeRelease, {
      targets: ['esd.export.v1.FreezeService'],
      handle: async ({ body, request, call }, response) => {
        const { id, versionIdentifier, state } = await freeze.startFreeze(body, call);
        response
          .status(202)
          .set({ Location: locationOf(request, `/admin/versions/${id}`), 'Cache-Control': 'no-store' })
          .json({ id, versionIdentifier, state: stateName.parse(state) });
      },
    }),
    serve(getFreeze, {
      targets: ['esd.dataset.v1.ReleaseService', 'esd.export.v1.FreezeService'],
      handle: async ({ parameters: { id }, call }, response) => {
        const found = releaseOf((await client.getRelease({ id }, call)).release);
        response.set('Cache-Control', 'no-store').json({ ...found, ...(await progressOf(found, freeze, call)) });
      },
    }),
    serve(changeRelease, {
      targets: ['esd.dataset.v1.ReleaseService'],
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
async function progressOf(
  { id, state, files }: z.output<typeof administeredRelease>,
  freeze: Upstream['freeze'],
  call: Call,
) {
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

function releaseOf(message: Release | undefined): z.output<typeof administeredRelease> {
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
