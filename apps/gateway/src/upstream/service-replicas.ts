import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type GetStatusResponse, StatusServiceService } from '@esd/proto/esd/common/v1/status';
import type { ServiceAssertions } from '@esd/service/auth/service-assertion';
import type { Tls } from '@esd/service/auth/tls';
import { isTransient } from '@esd/service/errors';
import type { CallLimits } from '@esd/service/rpc/call-limit';
import { type CallOptions, rpcClient } from '@esd/service/rpc/rpc-client';
import { type ServiceName, SERVICES } from '@esd/service/names/services';
import { unlessAborted } from '@esd/service/unless-aborted';

/** The status that a replica reports. `AWAY`: it does not respond. `NO_STATUS`: it returns an error. */
export type ReplicaAnswer = GetStatusResponse | 'AWAY' | 'NO_STATUS';

export interface ServiceReplicas {
  name: string;
  /** Empty while the name of the service has no address. */
  replicas: { address: string; answer: ReplicaAnswer }[];
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

/**
 * Requests the status of each replica of each service in its own call, because a channel uses one replica at a time.
 * A replica that does not respond within `answerMs` is `AWAY`. Does not throw.
 */
export function serviceReplicas(targets: Readonly<Record<ServiceName, string>>, peer: Peer, answerMs = ANSWER_MS) {
  return (call: CallOptions): Promise<ServiceReplicas[]> =>
    Promise.all(
      SERVICES.map(async (name) => {
        const replicas = await replicasOf(targets[name]).catch(() => []);
        const answers = replicas.map(async (replica) => ({
          address: replica.address,
          answer: await queryReplica(name, replica, peer, answerMs, call),
        }));
        return { name, replicas: await Promise.all(answers) };
      }),
    );
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

async function queryReplica(
  service: ServiceName,
  { target, serverName }: Replica,
  peer: Peer,
  timeoutMs: number,
  call: CallOptions,
): Promise<ReplicaAnswer> {
  // A client per call, because replicas come and go.
  const client = rpcClient(StatusServiceService, { service, target, serverName, ...peer, timeoutMs });
  try {
    return await client.getStatus({}, call);
  } catch (error) {
    return isTransient(error) ? 'AWAY' : 'NO_STATUS';
  } finally {
    client.channel.close();
  }
}
