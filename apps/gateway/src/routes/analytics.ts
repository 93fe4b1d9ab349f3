import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import type { Releases } from '../dataset/releases.ts';
import { countDays, dayAfter, today, usageOfDays } from '../dataset/usage.ts';
import { optionalJsonBody } from '../http/body/json-body.ts';
import type { Call } from '../http/call.ts';
import { route, type Route } from '../http/route.ts';
import { LATEST } from '../schemas/release-name.ts';
import { success } from '../schemas/success.ts';
import type { Upstream } from '../upstream/upstream.ts';

const VIEW_BYTES = 2 * 1024;

// Of it only the version is counted; clients may send more.
const view = z.looseObject({
  page: z.string().optional(),
  version: z.string().optional(),
  recordId: z.int().optional(),
});
const stats = z.strictObject({
  views: z.int().min(0),
  downloads: z.int().min(0).meta({ description: 'Files that were downloaded completely.' }),
});

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

// Before there was anything to count, and within what databases take for a date.
const FIRST_DAY = '2000-01-01';

const day = (words: string) =>
  z.iso
    .date()
    .refine((date) => date >= FIRST_DAY, `must be ${FIRST_DAY} or later`)
    .optional()
    .meta({ description: `${words} (UTC), \`2026-11-22\`.` });
const daysQuery = z.object({
  version: z
    .string()
    .optional()
    .meta({ description: '`latest`, the identifier of a version or its DOI; all of them unless given.' }),
  from: day(`The first day; ${DEFAULT_DAYS} days up to \`to\` unless given`),
  to: day('The last day; today unless given'),
});

const counter = z.int().min(0);
const usageAnswer = z
  .strictObject({
    version: z.string().nullable().meta({ description: '`latest` or the identifier; null for all of them.' }),
    from: z.iso.date(),
    to: z.iso.date(),
    views: counter,
    downloads: counter,
    days: z
      .array(
        z.strictObject({
          date: z.iso.date(),
          views: counter,
          downloads: z.record(z.string(), counter).meta({ description: 'By format.' }),
        }),
      )
      .meta({ description: 'The days on which something was counted, oldest first.' }),
  })
  .meta({ id: 'Usage' });

/** Counters of views and downloads. */
export function analyticsRoutes(releases: Releases, { usage }: Pick<Upstream, 'usage'>): Route[] {
  /** The version whose view is counted: `latest` unless another is named; undefined for one that is not known. */
  const viewed = async (version: string | undefined, call: Call): Promise<string | undefined> => {
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
          'Only numbers are stored: in all, and by version and day; nothing of the sender. `version` is the one whose page was viewed, or from which the record `recordId` was read; `latest` unless given. One that is not known counts in all alone.',
        returns: 'A confirmation that the view is counted.',
        status: 202,
        example: { body: { version: 'v1.0.0' } },
      },
      body: optionalJsonBody(view, VIEW_BYTES),
      answer: success,
      handle: async ({ body, call }, response) => {
        await usage.countView({ version: await viewed(body?.version, call) }, call);
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
        details: `Of a version or of all, at most ${MAX_DAYS} days. A view is one page that a browser has shown, a download is a whole file; reads of ranges are not counted. Days are UTC. The numbers can be up to five seconds old.`,
        returns: 'The sums, and the days on which something was counted.',
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

/** The days that are asked for. Throws INVALID_PARAMETER for none, and for too many. */
function daysOf({ from: first, to: last }: z.output<typeof daysQuery>): { from: string; to: string } {
  const to = last ?? today();
  const from = first ?? dayAfter(to, 1 - DEFAULT_DAYS);
  const days = countDays(from, to);
  if (days < 1) throw new ServiceError('INVALID_PARAMETER', `\`from\` (${from}) must not be after \`to\` (${to}).`);
  if (days > MAX_DAYS) {
    const message = `From ${from} to ${to} are ${days} days; ask for at most ${MAX_DAYS} at a time.`;
    throw new ServiceError('INVALID_PARAMETER', message);
  }
  return { from, to };
}
