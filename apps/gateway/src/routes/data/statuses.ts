import { z } from 'zod';
import { recordStatuses } from '@esd/record/status/record-status';
import { route, type Route } from '../../http/route.ts';
import { recordStatus } from '@esd/api/record-status';

export function statusRoutes(): Route[] {
  return [
    route({
      method: 'get',
      path: '/data/statuses',
      caller: 'ignored',
      describe: { tag: 'Data', summary: 'List the possible statuses of a record', returns: 'The four statuses.' },
      answer: z.array(recordStatus),
      handle: (_input, response) => {
        response.json([...recordStatuses]);
      },
    }),
  ];
}
