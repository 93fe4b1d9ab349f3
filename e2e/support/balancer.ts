import { Agent, createServer, type IncomingMessage, request as ask, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { request } from '@esd/testing/http';

/** A load balancer before the gateways, as simple as one can be. */
export interface Balancer {
  url: string;
  close(): Promise<void>;
}

const everyMs = 200;
const connectMs = 1_000;

/**
 * Starts a load balancer on loopback. It asks every 200 ms which gateways there are and whether each is ready, and passes requests on
 * to the ready ones in turn, each on a connection of its own. A request goes to another gateway only when the first
 * could not be connected to, and with `repeatReads` also when it is a read whose answer has not begun; a write that was sent is never
 * sent again. Where no gateway is left the answer is a bare 502.
 */
export async function startBalancer(
  gateways: () => Promise<readonly string[]>,
  { repeatReads }: { repeatReads: boolean },
): Promise<Balancer> {
  let ready: string[] = [];
  const look = async (): Promise<void> => {
    const all = await gateways();
    const states = await Promise.all(
      all.map((url) =>
        request(`${url}/ready`, { timeoutMs: connectMs }).then(
          ({ status }) => status === 200,
          () => false,
        ),
      ),
    );
    ready = all.filter((_, index) => states[index]);
  };
  await look();
  const timer = setInterval(() => void look().catch(() => undefined), everyMs);
  const agent = new Agent({ keepAlive: false });
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = await buffer(incoming);
      const first = turn++;
      const candidates = ready.map((_, index) => ready[(first + index) % ready.length] ?? '');
      for (const gateway of candidates) {
        const end = await pass(gateway, agent, incoming, body, outgoing);
        if (end === 'answered' || outgoing.destroyed) return;
        if (end === 'sent' && !(repeatReads && incoming.method === 'GET')) {
          outgoing.destroy();
          return;
        }
        ready = ready.filter((url) => url !== gateway);
      }
      outgoing.writeHead(502).end();
    })().catch(() => outgoing.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the balancer has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends a request to a gateway and its answer back; says how far it came: not even sent, sent, or answered. */
function pass(
  gateway: string,
  agent: Agent,
  incoming: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
): Promise<'not sent' | 'sent' | 'answered'> {
  const { method = 'GET', url = '/' } = incoming;
  const { connection: _, ...headers } = incoming.headers;
  return new Promise((resolve) => {
    const inner = ask(gateway + url, { method, headers, agent });
    let sent = false;
    inner.once('socket', (socket) => {
      socket.setTimeout(connectMs, () => socket.destroy(new Error('no connection in time')));
      socket.once('connect', () => {
        sent = true;
        socket.setTimeout(0);
        inner.end(body);
      });
    });
    inner.once('error', () => resolve(sent ? 'sent' : 'not sent'));
    inner.once('response', (answer) => {
      const { connection: __, 'keep-alive': ___, ...passedBack } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, passedBack);
      // An answer that breaks off must not look whole.
      pipeline(answer, outgoing, () => resolve('answered'));
    });
    outgoing.once('close', () => inner.destroy());
  });
}
