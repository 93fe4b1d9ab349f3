import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type GetStatusResponse, StatusServiceService } from '@esd/proto/esd/common/v1/status';
import type { ServiceAssertions } from '@esd/service/auth/service-assertion';
import type { Tls } from '@esd/service/auth/tls';
import { isTransient } from '@esd/service/errors';
import type { CallLimits } from '@esd/service/rpc/call-limit';
import { type CallOptions, type RpcClient, rpcClient } from '@esd/service/rpc/rpc-client';
import type { RpcDefinition } from '@esd/service/rpc/rpc-types';
import { type ServiceName, SERVICES } from '@esd/service/names/services';
import { unlessAborted } from '@esd/service/unless-aborted';

/** The answer of a replica. `AWAY`: it does not respond. `NO_STATUS`: it returns an error. */
export interface ReplicaOf<Answer> {
  address: string;
  answer: Answer | 'AWAY' | 'NO_STATUS';
}

export type ReplicaAnswer = ReplicaOf<GetStatusResponse>['answer'];

export interface ServiceReplicas {
  name: string;
  /** Empty while the name of the service has no address. */
  replicas: ReplicaOf<GetStatusResponse>[];
}

interface Replica {
  /** `host:port` */
  address: string;
  target: string;
  /** The name in its certificate, if that is not the address. */
  serverName?: string;
}

interface Peer {
  serviceAssertions: ServiceAssertions;
  tls: Tls | undefined;
  limits?: CallLimits;
}

const ANSWER_MS = 2_000;
const GRPC_PORT = '443';

/** Requests the status of each replica of each service. Does not throw. */
export function serviceReplicas(targets: Readonly<Record<ServiceName, string>>, peer: Peer, answerMs = ANSWER_MS) {
  const statuses = replicaCalls(StatusServiceService, peer, answerMs);
  return (call: CallOptions): Promise<ServiceReplicas[]> =>
    Promise.all(
      SERVICES.map(async (name) => ({
        name,
        replicas: await statuses(name, targets[name], (client) => client.getStatus({}, call)),
      })),
    );
}

/**
 * Creates a function that calls each replica of a target separately, because a channel uses one replica at a time. A
 * replica that does not respond within `answerMs` is `AWAY`. It does not throw.
 */
export function replicaCalls<Definition extends RpcDefinition>(
  definition: Definition,
  peer: Peer,
  answerMs = ANSWER_MS,
) {
  return async <Answer>(
    service: ServiceName,
    target: string,
    query: (client: RpcClient<Definition>) => Promise<Answer>,
  ): Promise<ReplicaOf<Answer>[]> => {
    const replicas = await replicasOf(target).catch(() => []);
    return Promise.all(
      replicas.map(async ({ address, ...replica }): Promise<ReplicaOf<Answer>> => {
        // A client per call, because replicas come and go.
        const client = rpcClient(definition, { service, ...replica, ...peer, timeoutMs: answerMs });
        try {
          return { address, answer: await query(client) };
        } catch (error) {
          return { address, answer: isTransient(error) ? 'AWAY' : 'NO_STATUS' };
        } finally {
          client.channel.close();
        }
      }),
    );
  };
}

/** Resolves a gRPC target to its replicas. Rejects if a host name does not resolve within 2 s. */
export async function replicasOf(target: string): Promise<Replica[]> {
  const [, scheme, list] = /^(ipv[46]):(.*)$/.exec(target) ?? [];
  if (list !== undefined) return list.split(',').map((address) => ({ address, target: `${scheme}:${address}` }));
  if (target.startsWith('unix:')) return [{ address: target, target }];
  const name = target.replace(/^dns:(?:\/\/[^/]*\/)?/, '');
  const [, bracketed, plain = '', port = GRPC_PORT] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(name) ?? [];
  const host = bracketed ?? plain;
  const found = await unlessAborted(lookup(host, { all: true }), AbortSignal.timeout(ANSWER_MS));
  return found
    .map(({ address, family }) => {
      const text = `${family === 6 ? `[${address}]` : address}:${port}`;
      return { address: text, target: `ipv${family}:${text}`, ...(isIP(host) ? {} : { serverName: host }) };
    })
    .sort((one, other) => (one.address < other.address ? -1 : 1));
}
