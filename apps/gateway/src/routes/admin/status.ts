import type { Readiness } from '@esd/service/health/readiness';
import { route, type Route } from '../../http/route.ts';
import { eventStream, newestRevision, ownStatus, statusOfService, systemStatus } from '../../status/service-status.ts';
import { statusWarnings } from '../../status/status-warnings.ts';
import type { Upstream } from '../../upstream/upstream.ts';

/** The state of the services, for administrators. */
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
        summary: 'Get the state of the services',
        details:
          'Requires the role ADMIN. Asks every replica of every service, and waits at most 2 s for each; what cannot be found out is left out, and named in `warnings`.',
        returns: 'The services with their replicas, and the events that wait.',
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
