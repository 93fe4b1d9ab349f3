import { z } from 'zod';
import { optionalJsonBody } from '../json-body.ts';
import { route, type Route } from '../route.ts';
import { success } from '../success.ts';
import type { Upstream } from '../upstream.ts';

const VIEW_BYTES = 2 * 1024;

// Nothing of it is kept; clients may send more.
const view = z.looseObject({
  page: z.string().optional(),
  version: z.string().optional(),
  recordId: z.int().optional(),
});
const stats = z.strictObject({
  views: z.int().min(0),
  downloads: z.int().min(0).meta({ description: 'Whole files that readers got.' }),
});

/** Counters of views and downloads. */
export function analyticsRoutes({ usage }: Pick<Upstream, 'usage'>): Route[] {
  return [
    route({
      method: 'post',
      path: '/analytics/view',
      caller: 'optional',
      limit: 'reads',
      describe: {
        tag: 'Downloads',
        summary: 'Count a view of the dataset',
        details: 'Nothing but the number is kept, neither what the body says nor who sent it.',
        returns: 'It is counted.',
        status: 202,
        example: { body: { page: '/dataset' } },
      },
      body: optionalJsonBody(view, VIEW_BYTES),
      answer: success,
      handle: async ({ call }, response) => {
        await usage.countView({}, call);
        response.status(202).set('Cache-Control', 'no-store').json({ success: true, message: 'Counted.' });
      },
    }),
    route({
      method: 'get',
      path: '/analytics/stats',
      caller: 'ignored',
      describe: {
        tag: 'Downloads',
        summary: 'Views and downloads',
        details: 'What another copy of the service counted may be missing for five seconds.',
        returns: 'The counters.',
      },
      answer: stats,
      handle: async ({ call }, response) => {
        const { views, downloads } = await usage.getUsage({}, call);
        response.set('Cache-Control', 'no-store').json({ views, downloads });
      },
    }),
  ];
}
