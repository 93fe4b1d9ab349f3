import { Agent, createServer, type IncomingMessage, request as ask, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { request } from '@esd/testing/http';

/** A minimal load balancer in front of the gateways. */
export interface Balancer {
  url: string;
  close(): Promise<void>;
}

const everyMs = 200;
const connectMs = 1_000;
/** A gateway of a busy machine responds late; it is not down. */
const readyMs = 10_000;

/**
 * Starts a load balancer on loopback. It lists the gateways and checks their readiness every 200 ms. Requests go to the ready
 * gateways in turn, each on its own connection. A request goes to another gateway only if the first refused the connection or, with
 * `repeatReads`, if it is a read whose response has not begun. A write is sent once. Without a ready gateway, the response is 502.
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
        request(`${url}/ready`, { timeoutMs: readyMs }).then(
          ({ status }) => status === 200,
          () => false,
        ),
      ),
    );
    ready = all.filter((_, index) => states[index]);
  };
  await look();
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch(() => undefined)
      .finally(() => (isLooking = false));
  }, everyMs);
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

/** Forwards a request and returns how far it came: not sent, sent, or answered. */
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
      // A truncated response must not look complete.
      pipeline(answer, outgoing, () => resolve('answered'));
    });
    outgoing.once('close', () => inner.destroy());
  });
}
