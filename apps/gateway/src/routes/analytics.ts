import { LATEST } from '@esd/api/release-name';
import { success } from '@esd/api/success';
import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import type { Releases } from '../dataset/releases.ts';
import { countDays, dayAfter, today, usageOfDays } from '../dataset/usage.ts';
import { optionalJsonBody } from '../http/body/json-body.ts';
import type { Call } from '../http/call.ts';
import { route, type Route } from '../http/route.ts';
import type { Upstream } from '../upstream/upstream.ts';

const VIEW_BYTES = 2 * 1024;

// Views are counted by `version` only; clients may send more members.
const view = z.looseObject({
  page: z.string().optional(),
  version: z.string().optional(),
  recordId: z.int().optional(),
});
const stats = z.strictObject({
  views: z.int().min(0),
  downloads: z.int().min(0).meta({ description: 'The number of complete file downloads.' }),
});

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

// Before the first count, and valid as a date in every database.
const FIRST_DAY = '2000-01-01';

const day = (text: string) =>
  z.iso
    .date()
    .refine((date) => date >= FIRST_DAY, `must be ${FIRST_DAY} or later`)
    .optional()
    .meta({ description: `${text} Days are in UTC, such as \`2026-11-22\`.` });
const daysQuery = z.object({
  version: z.string().optional().meta({
    description: '`latest`, the identifier of a release, or its DOI. By default, the numbers cover the whole dataset.',
  }),
  from: day(`The first day; by default, the period has ${DEFAULT_DAYS} days.`),
  to: day('The last day; defaults to today.'),
});

const counter = z.int().min(0);
const usageAnswer = z
  .strictObject({
    version: z
      .string()
      .nullable()
      .meta({ description: '`latest` or the identifier of a release; null for the whole dataset.' }),
    from: z.iso.date(),
    to: z.iso.date(),
    views: counter,
    downloads: counter,
    days: z
      .array(
        z.strictObject({
          date: z.iso.date(),
          views: counter,
          downloads: z.record(z.string(), counter).meta({ description: 'The number of downloads by format.' }),
        }),
      )
      .meta({ description: 'The days with at least one view or download, oldest first.' }),
  })
  .meta({ id: 'Usage' });

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
    route({
      method: 'post',
      path: '/analytics/view',
      caller: 'optional',
      limit: 'reads',
      describe: {
        tag: 'Downloads',
        summary: 'Count a view of the dataset',
        details:
          'Stores only counts, in total and by release and day, and no data about the sender. `version` is the release whose page or record was viewed; it defaults to `latest`. An unknown release counts only toward the total.',
        returns: 'A confirmation that the view is counted.',
        status: 202,
        example: { body: { version: 'v1.0.0' } },
      },
      body: optionalJsonBody(view, VIEW_BYTES),
      answer: success,
      handle: async ({ body, call }, response) => {
        await usage.countView({ version: await viewedVersion(body?.version, call) }, call);
        response.status(202).set('Cache-Control', 'no-store').json({ success: true, message: 'The view is counted.' });
      },
    }),
    route({
      method: 'get',
      path: '/analytics/stats',
      caller: 'ignored',
      describe: {
        tag: 'Downloads',
        summary: 'Get the numbers of views and downloads',
        details: 'The numbers can be up to five seconds old.',
        returns: 'The counters.',
      },
      answer: stats,
      handle: async ({ call }, response) => {
        const { views, downloads } = await usage.getUsage({}, call);
        response.set('Cache-Control', 'no-store').json({ views, downloads });
      },
    }),
    route({
      method: 'get',
      path: '/analytics/usage',
      caller: 'ignored',
      describe: {
        tag: 'Downloads',
        summary: 'Get views and downloads by day',
        details: `Covers one release or the whole dataset, for at most ${MAX_DAYS} days. A view is one page that a browser has shown, and a download is a complete file. Range requests are not counted. Days are in UTC. The numbers can be up to five seconds old.`,
        returns: 'The totals, and the days with at least one view or download.',
        errors: ['VERSION_NOT_FOUND'],
        example: { parameters: { version: 'v1.0.0' } },
      },
      query: daysQuery,
      answer: usageAnswer,
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
