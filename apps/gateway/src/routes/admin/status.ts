import type { Readiness } from '@esd/service/health/readiness';
import { route, type Route } from '../../http/route.ts';
import { eventStream, newestRevision, ownStatus, statusOfService, systemStatus } from '../../status/service-status.ts';
import { statusWarnings } from '../../status/status-warnings.ts';
import type { Upstream } from '../../upstream/upstream.ts';

export function adminStatusRoutes(readiness: Readiness, { replicas }: Pick<Upstream, 'replicas'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/admin/status',
      caller: 'required',
      role: 'ADMIN',
      targets: ['esd.common.v1.StatusService'],
      describe: {
        tag: 'Administration',
        summary: 'Get the status of the services',
        details:
          'Requires the role ADMIN. Queries every replica of every service and waits at most 2 s for each. Unavailable values are left out and named in `warnings`.',
        returns: 'The services with their replicas, and the pending events.',
        errors: ['FORBIDDEN'],
        example: {},
      },
      answer: systemStatus,
      handle: async ({ call }, response) => {
        const answers = await replicas(call);
        const services = [await ownStatus(readiness), ...answers.map(statusOfService)];
        const events = eventStream(answers);
        response.set('Cache-Control', 'no-store').json({
          at: new Date().toISOString(),
          warnings: statusWarnings({ services, events }),
          datasetRevision: newestRevision(answers),
          services,
          events,
        });
      },
    }),
  ];
}
