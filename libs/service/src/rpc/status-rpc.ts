import {
  type DatasetRevisions,
  type EventStream,
  type GetStatusResponse,
  type Outbox,
  StatusServiceService,
} from '@esd/proto/esd/common/v1/status';
import { requireRole } from '../auth/require-caller.ts';
import { measuredDatabaseBytes } from '../database/service-database.ts';
import { diskUse } from '../health/disk.ts';
import type { Logger } from '../health/log.ts';
import { downWarning, type ReadinessState } from '../health/readiness.ts';
import { THIS_PROCESS } from '../health/this-process.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { type RpcService, rpcService } from './rpc-server.ts';

export interface StatusParts {
  outbox?: () => Promise<Outbox>;
  events?: () => Promise<EventStream>;
  dataset?: () => Promise<DatasetRevisions>;
}

// The gateway waits 2 s.
const PART_MS = 1_500;
/** Events are normally processed within seconds. */
const LATE_SECONDS = 60;

/** Creates the status service of this replica. */
export function statusRpc(readiness: () => ReadinessState, parts: StatusParts): RpcService {
  return rpcService(StatusServiceService, {
    getStatus: async (_request, context) => {
      requireRole(context, 'ADMIN');
      return statusOf(readiness(), parts, context.log, context.signal);
    },
    listWarnings: async (_request, context) => {
      const { dataset: _dataset, ...eventParts } = parts;
      return { warnings: publicWarnings(await statusOf(readiness(), eventParts, context.log, context.signal)) };
    },
  });
}

/** Returns the status of this replica. A part that fails or takes more than 1.5 s is listed in `unknown`. */
export async function statusOf(
  { ready, dependencies, warnings }: ReadinessState,
  parts: StatusParts,
  log: Logger,
  signal: AbortSignal,
): Promise<GetStatusResponse> {
  const unknown: string[] = [];
  const read = async <Part>(name: string, part?: () => Promise<Part>): Promise<Part | undefined> => {
    try {
      return part && (await unlessAborted(part(), AbortSignal.any([signal, AbortSignal.timeout(PART_MS)])));
    } catch (err) {
      log.debug({ err, name }, 'status unavailable');
      unknown.push(name);
      return undefined;
    }
  };
  const [outbox, events, dataset] = await Promise.all([
    read('outbox', parts.outbox),
    read('events', parts.events),
    read('dataset', parts.dataset),
  ]);
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
}

/** Returns the warnings for the public /ready of the gateway, which has no numbers. */
function publicWarnings({ warnings, dependencies, outbox, events }: GetStatusResponse): string[] {
  const down = dependencies.filter(({ up }) => !up).map(({ name }) => downWarning(name));
  const late = events?.consumers.filter(isLate).map(({ name }) => `events are waiting for ${name}`) ?? [];
  return [
    ...down,
    ...(outbox && isLate(outbox) ? ['events are waiting for their publication'] : []),
    ...late,
    ...(warnings.every((warning) => down.includes(warning)) ? [] : ['a replica has warnings; see esd-admin status']),
  ];
}

function isLate({ oldestSeconds = 0 }: { oldestSeconds?: number | undefined }): boolean {
  return oldestSeconds >= LATE_SECONDS;
}
