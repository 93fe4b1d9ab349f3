import { LATEST } from '@esd/api/release-name';
import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import type { daysQuery } from '@esd/api/usage';
import { DEFAULT_DAYS, MAX_DAYS, countView, getUsage, getViewStatistics } from '@esd/api/usage';
import type { Releases } from '../dataset/releases.ts';
import { countDays, dayAfter, today, usageOfDays } from '../dataset/usage.ts';
import { optionalJsonBody } from '../http/body/json-body.ts';
import type { Call } from '../http/call.ts';
import type { Route } from '../http/route.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { serve } from '../http/serve.ts';

const VIEW_BYTES = 2 * 1024;

// Views are counted by `version` only; clients may send more members.
const view = z.looseObject({
  page: z.string().optional(),
  version: z.string().optional(),
  recordId: z.int().optional(),
});

export function analyticsRoutes(releases: Releases, { usage }: Pick<Upstream, 'usage'>): Route[] {
  /** Returns the identifier of the viewed release: `latest` by default, undefined for an unknown release. */
  const viewedVersion = async (version: string | undefined, call: Call): Promise<string | undefined> => {
    if (version === undefined || version === LATEST) return LATEST;
    try {
      return (await releases.find(version, call)).identifier;
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  };
  return [
    serve(countView, {
      body: optionalJsonBody(view, VIEW_BYTES),
      handle: async ({ body, call }, response) => {
        await usage.countView({ version: await viewedVersion(body?.version, call) }, call);
        response.status(202).set('Cache-Control', 'no-store').json({ success: true, message: 'The view is counted.' });
      },
    }),
    serve(getViewStatistics, {
      handle: async ({ call }, response) => {
        const { views, downloads } = await usage.getUsage({}, call);
        response.set('Cache-Control', 'no-store').json({ views, downloads });
      },
    }),
    serve(getUsage, {
      handle: async ({ query, call }, response) => {
        const { from, to } = daysOf(query);
        const version =
          query.version === undefined || query.version === LATEST
            ? query.version
            : (await releases.find(query.version, call)).identifier;
        const found = await usageOfDays(usage, { version, from, to }, call);
        response.set('Cache-Control', 'no-store').json({ version: version ?? null, from, to, ...found });
      },
    }),
  ];
}

/** Returns the requested period. Throws INVALID_PARAMETER if it is empty or too long. */
function daysOf({ from: first, to: last }: z.output<typeof daysQuery>): { from: string; to: string } {
  const to = last ?? today();
  const from = first ?? dayAfter(to, 1 - DEFAULT_DAYS);
  const days = countDays(from, to);
  if (days < 1) throw new ServiceError('INVALID_PARAMETER', `\`from\` (${from}) must not be after \`to\` (${to}).`);
  if (days > MAX_DAYS) {
    const message = `The period from ${from} to ${to} has ${days} days; request at most ${MAX_DAYS}.`;
    throw new ServiceError('INVALID_PARAMETER', message);
  }
  return { from, to };
}
