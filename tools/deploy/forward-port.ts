import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

/*
 * Forwards the connections of one TCP port to another host, unchanged:
 *
 *   forward-port.ts PORT HOST:PORT
 *
 * Use it for a server that opens more ports than its clients may reach: the clients share a network only with this process.
 */

const MAX_CONNECTIONS = 512;

const [port = '', target = ''] = process.argv.slice(2);
const [, host, targetPort] = /^(.+):(\d+)$/.exec(target) ?? [];
if (!/^\d+$/.test(port) || host === undefined) {
  process.stderr.write('Usage: forward-port.ts PORT HOST:PORT\n');
  process.exit(2);
}

// Either side can close its half first. If one connection breaks, the other is closed.
const server = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, (client) => {
  const inner = connect({ host, port: Number(targetPort), allowHalfOpen: true, noDelay: true, keepAlive: true });
  pipeline(client, inner, client, () => {
    client.destroy();
    inner.destroy();
  });
});
server.maxConnections = MAX_CONNECTIONS;
server.listen(Number(port));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
