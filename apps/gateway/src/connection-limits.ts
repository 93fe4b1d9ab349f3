import type { Server } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { ServiceError } from '@esd/service/errors';
import { plainAddress } from './client-ip.ts';
import type { GatewayConfig } from './config.ts';
import { rawAnswer } from './raw-answer.ts';
import { shares } from './shares.ts';

/** Settings of the connections that are taken. */
export type ConnectionConfig = Pick<
  GatewayConfig,
  'ESD_CONNECTIONS' | 'ESD_CONNECTIONS_CLIENT' | 'ESD_TRUSTED_PROXIES'
>;

/**
 * Bounds the connections of a server: so many of an address that is no trusted proxy, and so many in all. One that is too much
 * is answered RATE_LIMITED or UNAVAILABLE at once and closed.
 */
export function limitConnections(
  server: Server,
  { ESD_CONNECTIONS: most, ESD_CONNECTIONS_CLIENT: mostOfClient, ESD_TRUSTED_PROXIES: proxies }: ConnectionConfig,
): void {
  const isTrusted = trusts(proxies);
  const ofClients = shares(mostOfClient, most);
  let open = 0;
  // Before the one who reads it.
  server.prependListener('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    const share = isTrusted(address) ? undefined : ofClients.take(address, 1);
    if (share === 'client') {
      const message = `This address has ${mostOfClient} connections, which is as many as it may have.`;
      refuse(socket, new ServiceError('RATE_LIMITED', message, undefined, 1));
      return;
    }
    if (share === 'process' || open >= most) {
      if (share !== 'process') share?.release();
      refuse(socket, new ServiceError('UNAVAILABLE', 'The service has as many connections as it takes; try again.'));
      return;
    }
    open += 1;
    socket.once('close', () => {
      open -= 1;
      share?.release();
    });
  });
}

function refuse(socket: Socket, error: ServiceError): void {
  socket.on('error', () => undefined);
  socket.end(rawAnswer(error), () => socket.destroy());
}

/** Whether an address that connects is that of a trusted proxy. */
function trusts(proxies: ConnectionConfig['ESD_TRUSTED_PROXIES']): (address: string) => boolean {
  // With a number of proxies, whoever connects is the first of them.
  if (typeof proxies === 'number') return () => proxies > 0;
  const list = new BlockList();
  for (const range of proxies) {
    const [text = '', bits] = range.split('/');
    const address = plainAddress(text);
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
