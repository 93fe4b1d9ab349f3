import { recordStatuses } from '@esd/record/status/record-status';
import { listStatuses } from '@esd/api/own-data';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';

export function statusRoutes(): Route[] {
  return [
    serve(listStatuses, {
      handle: (_input, response) => {
        response.json([...recordStatuses]);
      },
    }),
  ];
}
