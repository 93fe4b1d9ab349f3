import { z } from 'zod';
import type { Renderer, StatusPage } from '@esd/pages/page';
import type { Readiness } from '@esd/service/health/readiness';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import type { Releases } from '../../dataset/releases.ts';
import type { Route } from '../../http/route.ts';
import { pageRoute } from '../../pages/page-route.ts';
import { valueInTime } from '../../pages/value-in-time.ts';
import { PARTS, statusParts, wholeStatus } from '../../status/status-parts.ts';

const state = z.enum(['up', 'partly', 'down']);
const unknown = 'null while it is unknown.';
const answer = z
  .strictObject({
    status: state.meta({
      description: '`partly` if a part does not work as usual; `down` while reading does not work.',
    }),
    checkedAt: z.iso.datetime().meta({ description: 'The time of the checks, at most 5 s ago.' }),
    parts: z.array(
      z.strictObject({
        name: z.enum(PARTS),
        status: state,
        message: z.string().optional().meta({
          description: 'The effect, what still works, and what to do; absent if the part is `up`.',
        }),
      }),
    ),
    dataset: z.strictObject({
      revision: z
        .int()
        .nullable()
        .meta({ description: `The dataset revision; ${unknown}` }),
      records: z
        .int()
        .nullable()
        .meta({ description: `The number of published records; ${unknown}` }),
      newestVersion: z
        .string()
        .nullable()
        .meta({ description: `The identifier of the newest release; null without a release, and ${unknown}` }),
    }),
  })
  .meta({ id: 'Status' });

/** Maximum age of the checks. The gateway repeats them about once a second, unless it was suspended. */
const MAX_AGE_MS = 5_000;

/** Serves the state of the service for its users, as a page and as JSON. */
export function statusPageRoutes(
  renderer: Renderer,
  readiness: Readiness,
  states: DatasetStates,
  releases: Pick<Releases, 'listed'>,
): Route[] {
  return [
    pageRoute(renderer, {
      path: '/status',
      limit: 'reads',
      isMomentary: true,
      describe: {
        tag: 'Service',
        summary: 'Get the state of the service',
        details:
          'The response is HTML unless `Accept` prefers application/json. Its status is 200 even if parts of the service are down.',
        returns: 'The state of each part of the service, and of the dataset.',
        otherTypes: ['text/html'],
      },
      answer,
      show: async ({ call }) => {
        const isOld = Date.now() - readiness.checkedAt().getTime() > MAX_AGE_MS;
        const { dependencies } = isOld ? await readiness.check() : readiness.current();
        const parts = statusParts(dependencies);
        // A call to a service that is down would only delay the response.
        const [dataset, list] =
          dependencies['dataset-svc'] === 'up'
            ? await Promise.all([valueInTime(states.current(call)), valueInTime(releases.listed(call))])
            : [];
        const { revision = null, recordCount = null } = dataset ?? states.latest() ?? {};
        const shown = {
          status: wholeStatus(parts),
          checkedAt: readiness.checkedAt().toISOString(),
          parts,
          dataset: { revision, records: recordCount, newestVersion: list?.releases[0]?.identifier ?? null },
        };
        return {
          page: { kind: 'status', ...shown } satisfies StatusPage,
          path: '/status',
          json: () => JSON.stringify(shown satisfies z.output<typeof answer>),
        };
      },
    }),
  ];
}
