import {
  type DatasetRevisions,
  type EventStream,
  type Outbox,
  StatusServiceService,
} from '@esd/proto/esd/common/v1/status';
import { requireRole } from '../auth/require-caller.ts';
import { measuredDatabaseBytes } from '../database/service-database.ts';
import { diskUse } from '../health/disk.ts';
import type { ReadinessState } from '../health/readiness.ts';
import { THIS_PROCESS } from '../health/this-process.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { type CallContext, type RpcService, rpcService } from './rpc-server.ts';

export interface StatusParts {
  outbox?: () => Promise<Outbox>;
  events?: () => Promise<EventStream>;
  dataset?: () => Promise<DatasetRevisions>;
}

// The gateway waits 2 s.
const PART_MS = 1_500;

/** Creates the status service of this replica. A part that fails or takes more than 1.5 s is listed in `unknown`. */
export function statusRpc(readiness: () => ReadinessState, parts: StatusParts): RpcService {
  return rpcService(StatusServiceService, {
    getStatus: async (_request, context) => {
      requireRole(context, ['ADMIN']);
      const unknown: string[] = [];
      const read = async <Part>(name: string, part?: () => Promise<Part>): Promise<Part | undefined> => {
        try {
          return part && (await inTime(part(), context));
        } catch (err) {
          context.log.debug({ err, name }, 'status unavailable');
          unknown.push(name);
          return undefined;
        }
      };
      const [outbox, events, dataset] = await Promise.all([
        read('outbox', parts.outbox),
        read('events', parts.events),
        read('dataset', parts.dataset),
      ]);
      const { ready, dependencies, warnings } = readiness();
      return {
        ...THIS_PROCESS,
        ready,
        dependencies: Object.entries(dependencies).map(([name, state]) => ({ name, up: state === 'up' })),
        warnings,
        disks: await diskUse(),
        databaseBytes: await measuredDatabaseBytes(),
        outbox,
        events,
        dataset,
        unknown,
      };
    },
  });
}

function inTime<Part>(part: Promise<Part>, { signal }: CallContext): Promise<Part> {
  return unlessAborted(part, AbortSignal.any([signal, AbortSignal.timeout(PART_MS)]));
}
