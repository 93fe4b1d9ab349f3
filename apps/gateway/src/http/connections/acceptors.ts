import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer, type ListenOptions, type Server as NetServer } from 'node:net';

// Node accepts one connection of each listening socket in a turn of the event loop.
const SOCKETS = 8;
// Connections that wait in each socket, also while a garbage collection delays the process. Clients would give up in a longer queue.
const BACKLOG = 256;

/** Creates further listening sockets of a server, so that it accepts several connections in each turn of the event loop. */
export function acceptors(server: Server): NetServer[] {
  // Only Linux distributes connections over the sockets of a port.
  if (process.platform !== 'linux') return [];
  return Array.from({ length: SOCKETS - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket)),
  );
}

/** Listens with all sockets. Throws if another process uses the port. */
export async function listenWith(server: Server, others: readonly NetServer[], address: ListenOptions): Promise<void> {
  const options = { ...address, backlog: BACKLOG };
  if (others.length === 0) {
    server.listen(options);
    await once(server, 'listening');
    return;
  }
  // A port that is free only for sockets that share it belongs to another process.
  const probe = createServer().listen(options);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
  server.listen({ ...options, reusePort: true });
  await once(server, 'listening');
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('the public server has no port');
  for (const other of others) {
    other.listen({ ...options, port: bound.port, reusePort: true });
    await once(other, 'listening');
  }
}
