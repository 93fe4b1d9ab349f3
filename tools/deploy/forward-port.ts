import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

/*
 * Passes the connections of one TCP port on to another host, as they are:
 *
 *   forward-port.ts PORT HOST:PORT
 *
 * For a server that opens more ports than its clients may reach, and cannot bind them one by one: clients share a network with this
 * process alone.
 */

const MAX_CONNECTIONS = 512;

const [port = '', target = ''] = process.argv.slice(2);
const [, host, targetPort] = /^(.+):(\d+)$/.exec(target) ?? [];
if (!/^\d+$/.test(port) || host === undefined) {
  process.stderr.write('Usage: forward-port.ts PORT HOST:PORT\n');
  process.exit(2);
}

// Either side may end its half first; when one breaks off, so does the other.
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
