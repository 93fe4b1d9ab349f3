import { z } from 'zod';
import { optionalJsonBody } from '../http/body/json-body.ts';
import { route, type Route } from '../http/route.ts';
import { success } from '../schemas/success.ts';
import type { Upstream } from '../upstream/upstream.ts';

const VIEW_BYTES = 2 * 1024;

// Nothing of it is stored; clients may send more.
const view = z.looseObject({
  page: z.string().optional(),
  version: z.string().optional(),
  recordId: z.int().optional(),
});
const stats = z.strictObject({
  views: z.int().min(0),
  downloads: z.int().min(0).meta({ description: 'Files that were downloaded completely.' }),
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
        details: 'Only the number is stored, neither the body nor the sender.',
        returns: 'A confirmation that the view is counted.',
        status: 202,
        example: { body: { page: '/dataset' } },
      },
      body: optionalJsonBody(view, VIEW_BYTES),
      answer: success,
      handle: async ({ call }, response) => {
        await usage.countView({}, call);
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
  ];
}
