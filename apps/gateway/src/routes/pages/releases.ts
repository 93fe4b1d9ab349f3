import { LATEST, releasePath } from '@esd/api/release-name';
import { z } from 'zod';
import type { ReleasePage, Renderer } from '@esd/pages/page';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import type { Route } from '../../http/route.ts';
import type { HtmlPages } from '../../cache/html-pages.ts';
import type { Descriptions } from '../../metadata/descriptions.ts';
import { linksetRoute } from '../../pages/linkset-route.ts';
import { pageRoute } from '../../pages/page-route.ts';
import { releaseEntry } from '../../pages/release-entry.ts';
import { releasePages } from '../../pages/release-page.ts';
import { listed } from '../public/dataset-releases.ts';
import type { Upstream } from '../../upstream/upstream.ts';

export function releasePageRoutes(
  renderer: Renderer,
  htmlCache: HtmlPages,
  states: DatasetStates,
  descriptions: Descriptions,
  upstream: Pick<Upstream, 'dataset' | 'releases' | 'usage'>,
): Route[] {
  const pageOf = releasePages(upstream, states, descriptions);
  return [
    pageRoute(renderer, {
      path: '/releases',
      cache: htmlCache,
      show: async ({ call }) => {
        const { releases } = await upstream.releases.listReleases({}, call);
        return { page: { kind: 'releases', releases: releases.map(releaseEntry) }, path: '/releases' };
      },
    }),
    linksetRoute({
      path: '/release/*version/linkset',
      parameters: z.object({ version: releasePath }),
      describe: ({ parameters: { version }, call }) => descriptions.ofDataset(version, call),
    }),
    pageRoute(renderer, {
      path: '/release/*version',
      parameters: z.object({ version: releasePath }),
      cache: htmlCache,
      show: async ({ parameters: { version: name }, call }) => {
        const { page, version } = await pageOf(name, call);
        const path = `/release/${page.description.version ?? LATEST}`;
        // A DOI redirects to the release that currently has it.
        return page.description.version !== undefined && name !== page.description.version
          ? { redirect: path }
          : {
              page,
              path,
              json: () => JSON.stringify(version ? listed(version) : latestEntry(page)),
              isPartial: page.usage === undefined,
            };
      },
    }),
  ];
}

/** Returns the latest dataset in the format of the release list, without members that only a release has. */
function latestEntry({ description: { revision, recordCount, issued, license } }: ReleasePage) {
  return {
    versionIdentifier: LATEST,
    datasetRevision: revision,
    recordCount,
    createdAt: issued.toISOString(),
    doi: null,
    license,
  };
}
