import type { Readiness } from '@esd/service/health/readiness';
import { getStatus } from '@esd/api/administration';
import type { Route } from '../../http/route.ts';
import { eventStream, newestRevision, ownStatus, statusOfService } from '../../status/service-status.ts';
import { statusWarnings } from '../../status/status-warnings.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function adminStatusRoutes(readiness: Readiness, { replicas }: Pick<Upstream, 'replicas'>): Route[] {
  return [
    serve(getStatus, {
      targets: ['esd.common.v1.StatusService'],
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
