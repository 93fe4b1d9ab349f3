import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientAt } from '@esd/service/quota-client';
import { clientShares } from '@esd/service/client-shares';
import { ServiceError, toServiceError } from '@esd/service/errors';
import { gauge } from '@esd/service/health/metrics';
import { plainAddress, trustedProxies } from '../http/limits/client-ip.ts';
import type { GatewayConfig } from '../config.ts';
import { rejectedRequests } from '../http/metrics.ts';
import { rawResponse } from '../http/raw-response.ts';

export type ConnectionConfig = Pick<
  GatewayConfig,
  'ESD_CONNECTIONS' | 'ESD_CONNECTIONS_CLIENT' | 'ESD_TRUSTED_PROXIES'
>;

const RETRY_SECONDS = 1;

const connections = gauge('esd_http_connections');

/** Limits connections per address (except trusted proxies) and in total. Excess connections get an error and are closed. */
export function limitConnections(
  server: Server,
  { ESD_CONNECTIONS: max, ESD_CONNECTIONS_CLIENT: maxOfClient, ESD_TRUSTED_PROXIES: proxies }: ConnectionConfig,
): void {
  const isTrusted = trustedProxies(proxies);
  const ofClients = clientShares({ name: 'connections', max, maxOfClient, retryAfterSeconds: RETRY_SECONDS });
  let open = 0;
  // Runs before the listener that reads from the socket.
  server.prependListener('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    let release: (() => void) | undefined;
    try {
      if (!isTrusted(address, 0)) {
        const { block, network } = clientAt(address);
        release = ofClients.acquire(`address ${block}`, 1, network);
      }
      // Connections of trusted proxies count only in the total.
      if (open >= max)
        throw new ServiceError(
          'UNAVAILABLE',
          `Too many open connections (limit ${max}). Try again in ${RETRY_SECONDS} s.`,
        );
    } catch (error) {
      release?.();
      rejectedRequests.inc({ reason: 'connections' });
      refuse(socket, toServiceError(error));
      return;
    }
    open += 1;
    connections.set(open);
    socket.once('close', () => {
      open -= 1;
      connections.set(open);
      release?.();
    });
  });
}

function refuse(socket: Socket, error: ServiceError): void {
  socket.on('error', () => undefined);
  socket.end(rawResponse(error), () => socket.destroy());
}
