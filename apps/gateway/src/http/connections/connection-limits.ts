import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientShares } from '@esd/service/client-shares';
import { ServiceError, toServiceError } from '@esd/service/errors';
import { clientAt, plainAddress, trustedProxies } from '../limits/client-ip.ts';
import type { GatewayConfig } from '../../config.ts';
import { rawAnswer } from './raw-answer.ts';

/** Settings of the connections that are taken. */
export type ConnectionConfig = Pick<
  GatewayConfig,
  'ESD_CONNECTIONS' | 'ESD_CONNECTIONS_CLIENT' | 'ESD_TRUSTED_PROXIES'
>;

const RETRY_SECONDS = 1;

/**
 * Bounds the connections of a server: so many of an address that is no trusted proxy, and so many in all. One that is too much
 * is answered RATE_LIMITED or UNAVAILABLE at once and closed.
 */
export function limitConnections(
  server: Server,
  { ESD_CONNECTIONS: max, ESD_CONNECTIONS_CLIENT: maxOfClient, ESD_TRUSTED_PROXIES: proxies }: ConnectionConfig,
): void {
  const isTrusted = trustedProxies(proxies);
  const ofClients = clientShares({ name: 'connections', max, maxOfClient, retryAfterSeconds: RETRY_SECONDS });
  let open = 0;
  // Before the listener that reads from it.
  server.prependListener('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    let release: (() => void) | undefined;
    try {
      if (!isTrusted(address, 0)) {
        const { block, network } = clientAt(address);
        release = ofClients.take(`address ${block}`, 1, network);
      }
      // Those of trusted proxies count in all alone.
      if (open >= max) throw new ServiceError('UNAVAILABLE', 'There is no room for more connections; try again later.');
    } catch (error) {
      release?.();
      refuse(socket, toServiceError(error));
      return;
    }
    open += 1;
    socket.once('close', () => {
      open -= 1;
      release?.();
    });
  });
}

function refuse(socket: Socket, error: ServiceError): void {
  socket.on('error', () => undefined);
  socket.end(rawAnswer(error), () => socket.destroy());
}
