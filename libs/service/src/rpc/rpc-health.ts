import type { Client } from '@grpc/grpc-js';
import { service as health } from 'grpc-health-check';
import type { Dependency } from '../health/readiness.ts';

/** Returns another service as a dependency: up while the gRPC health check of a replica returns SERVING. */
export function rpcHealthDependency(name: string, channel: Client, needed: boolean): Dependency {
  return {
    name,
    needed,
    check: async () => {
      const status = await healthOf(channel);
      // A second check reaches another replica: one that is not ready does not make the service unavailable.
      if (status !== 'SERVING' && (await healthOf(channel)) !== 'SERVING') throw new Error(`health status ${status}`);
    },
  };
}

const CHECK_MS = 900;

/** Returns the status of the standard health service of the server, for the whole process or for a name. */
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
