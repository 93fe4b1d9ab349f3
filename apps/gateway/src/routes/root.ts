import { z } from 'zod';
import type { Renderer } from '@esd/pages/page';
import { citationText } from '@esd/record/metadata/formats/text';
import type { GatewayConfig } from '../config.ts';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import type { Route } from '../http/route.ts';
import type { Descriptions } from '../metadata/descriptions.ts';
import { readOverview } from '../pages/overview.ts';
import { pageRoute, prefersJson } from '../pages/page-route.ts';
import { releaseEntry } from '../pages/release-entry.ts';
import { valueInTime } from '../pages/value-in-time.ts';
import type { Upstream } from '../upstream/upstream.ts';

const rootAnswer = z
  .strictObject({
    title: z.string(),
    records: z.int().nullable().meta({ description: 'The number of published records; null while it is unknown.' }),
    newestRelease: z.string().nullable().meta({
      description: 'The identifier of the newest release; null if there are no releases or while it is unknown.',
    }),
    links: z.record(z.string(), z.string()).meta({ description: 'The URLs of the main resources.' }),
  })
  .meta({ id: 'Root' });

export function rootRoutes(
  renderer: Renderer,
  states: DatasetStates,
  upstream: Pick<Upstream, 'dataset' | 'releases'>,
  descriptions: Descriptions,
  { ESD_SECURITY_CONTACT: contact }: Pick<GatewayConfig, 'ESD_SECURITY_CONTACT'>,
): Route[] {
  const linksBelow = (root: string) => ({
    docs: `${root}/docs`,
    openapi: `${root}/openapi.json`,
    dataset: `${root}/public/dataset`,
    export: `${root}/public/dataset/export`,
    releases: `${root}/public/dataset/versions`,
    ...(contact === '' ? {} : { security: `${root}/.well-known/security.txt` }),
  });
  return [
    pageRoute(renderer, {
      path: '/',
      describe: {
        tag: 'Service',
        summary: 'Get the links of the service',
        details: 'The response is HTML unless `Accept` prefers application/json.',
        returns: 'The number of records, the newest release, and the links of the service.',
        otherTypes: ['text/html'],
        revalidates: true,
      },
      answer: rootAnswer,
      show: async ({ request, call }) => {
        const { publicRoot } = request.exchange;
        const isForPrograms = prefersJson(request);
        const [state, list, { overview, known = { papers: [], substances: [] } } = {}] = await Promise.all([
          valueInTime(states.current(call)),
          valueInTime(upstream.releases.listReleases({}, call)),
          isForPrograms ? undefined : valueInTime(readOverview(upstream, states, call)),
        ]);
        const records = state?.recordCount;
        const newest = list?.releases[0];
        const described =
          newest && !isForPrograms ? await valueInTime(descriptions.ofDataset(newest.identifier, call)) : undefined;
        return {
          page: {
            kind: 'home',
            records,
            overview,
            known,
            newest: newest && releaseEntry(newest),
            citation: described && citationText(described),
            api: publicRoot,
            hasSecurityContact: contact !== '',
          },
          path: '/',
          json: () =>
            JSON.stringify({
              title: 'Electrospinning Dataset Service',
              records: records ?? null,
              newestRelease: newest?.identifier ?? null,
              links: linksBelow(publicRoot),
            } satisfies z.output<typeof rootAnswer>),
        };
      },
    }),
  ];
}
