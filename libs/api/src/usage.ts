import { z } from 'zod';
import { operation } from './operation.ts';
import { success } from './success.ts';

const stats = z.strictObject({
  views: z.int().min(0),
  downloads: z.int().min(0).meta({ description: 'The number of complete file downloads.' }),
});

export const DEFAULT_DAYS = 30;

export const MAX_DAYS = 366;

// Before the first count, and valid as a date in every database.
const FIRST_DAY = '2000-01-01';

const day = (text: string) =>
  z.iso
    .date()
    .refine((date) => date >= FIRST_DAY, `must be ${FIRST_DAY} or later`)
    .optional()
    .meta({ description: `${text} Days are in UTC, such as \`2026-11-22\`.` });

export const daysQuery = z.object({
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

export const countView = operation({
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
  response: success,
});

export const getViewStatistics = operation({
  method: 'get',
  path: '/analytics/stats',
  caller: 'ignored',
  describe: {
    tag: 'Downloads',
    summary: 'Get the numbers of views and downloads',
    details: 'The numbers can be up to five seconds old.',
    returns: 'The counters.',
  },
  response: stats,
});

export const getUsage = operation({
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
  response: usageAnswer,
});
