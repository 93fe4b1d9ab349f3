import type { Client } from '@grpc/grpc-js';
import { service as health } from 'grpc-health-check';
import type { Dependency } from '../health/readiness.ts';
import { NO_WARNINGS } from './rpc-server.ts';
import type { Watched } from '../health/warnings.ts';

/** Another service as a dependency: up while the standard gRPC health check of one of its copies says SERVING. */
export function rpcHealthDependency(name: string, channel: Client, needed: boolean): Dependency {
  return {
    name,
    needed,
    check: async () => {
      const status = await healthOf(channel);
      // Calls go round the copies: one that is not ready does not make the service be away.
      if (status !== 'SERVING' && (await healthOf(channel)) !== 'SERVING') throw new Error(`it says ${status}`);
    },
  };
}

/** The warnings of another service: which they are, the /ready of its copies says. */
export function rpcWarnings(name: string, channel: Client): Watched {
  return {
    name,
    check: async () => {
      if ((await healthOf(channel, NO_WARNINGS)) !== 'NOT_SERVING') return undefined;
      return 'a copy warns; its log and /ready of its internal port say of what';
    },
  };
}

const CHECK_MS = 900;

/** What the standard health service at the other end says of itself, or of the name that is asked for. */
export function healthOf(channel: Client, service = ''): Promise<string> {
  const method = health['Check'];
  if (!method) throw new Error('the health service has no method Check');
  return new Promise((resolve, reject) => {
    channel.makeUnaryRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      { service },
      { deadline: Date.now() + CHECK_MS },
      (error, answer) => {
        if (error) reject(error);
        else resolve(answer && 'status' in answer && typeof answer.status === 'string' ? answer.status : 'UNKNOWN');
      },
    );
  });
}
