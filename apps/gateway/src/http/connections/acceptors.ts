import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer, type Server as NetServer } from 'node:net';
import type { ListenAddress } from '@esd/service/config';

// Node accepts one connection of each listening socket in a turn of the event loop.
const SOCKETS = 8;
// Connections that wait in each socket, also while a garbage collection delays the process. Clients would give up in a longer queue.
const BACKLOG = 256;

// Node would listen on only one of the two addresses of this name.
const LOOPBACK = 'localhost';
/** Errors of a system without IPv6. */
const NO_IPV6 = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/**
 * Creates further listening sockets of a server, so that it accepts several connections in each turn of the event loop. The last one
 * of `localhost` is for ::1.
 */
export function acceptors(server: Server, { host }: ListenAddress): NetServer[] {
  // Only Linux distributes connections over the sockets of a port.
  const shared = process.platform === 'linux' ? SOCKETS - 1 : 0;
  return Array.from({ length: host === LOOPBACK ? shared + 1 : shared }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket)),
  );
}

/** Listens with all sockets. Throws if another process uses the port. */
export async function listenWith(server: Server, others: readonly NetServer[], address: ListenAddress): Promise<void> {
  const isLoopback = address.host === LOOPBACK;
  const options = { ...address, ...(isLoopback && { host: '127.0.0.1' }), backlog: BACKLOG };
  const sharing = isLoopback ? others.slice(0, -1) : others;
  if (sharing.length > 0) {
    // A port that is free only for sockets that share it belongs to another process.
    const probe = createServer().listen(options);
    await once(probe, 'listening');
    probe.close();
    await once(probe, 'close');
  }
  server.listen({ ...options, reusePort: sharing.length > 0 });
  await once(server, 'listening');
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('the public server has no port');
  const { port } = bound;
  for (const other of sharing) {
    other.listen({ ...options, port, reusePort: true });
    await once(other, 'listening');
  }
  if (isLoopback) await listenOnLoopback6(others.at(-1), port);
}

async function listenOnLoopback6(server: NetServer | undefined, port: number): Promise<void> {
  try {
    server?.listen({ host: '::1', port, backlog: BACKLOG });
    if (server) await once(server, 'listening');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && NO_IPV6.includes(String(error.code)))) throw error;
  }
}
