import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const value = z.looseObject({ stringValue: z.string().optional(), intValue: z.number().optional() });
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value: v }) => [key, v.stringValue ?? v.intValue])));

const spanSchema = z.looseObject({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes,
  links: z.array(z.looseObject({ traceId: z.string(), spanId: z.string() })).default([]),
  status: z.looseObject({ code: z.number() }),
});

const body = z.object({
  resourceSpans: z.array(
    z.looseObject({
      resource: z.looseObject({ attributes }),
      scopeSpans: z.array(z.looseObject({ spans: z.array(spanSchema) })),
    }),
  ),
});

/** A received span, with the attributes of its process. */
export type ReceivedSpan = z.output<typeof spanSchema> & { resource: z.output<typeof attributes> };

export interface TraceReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** The received bodies, unparsed, and the last headers. */
  bodies: string[];
  headers: IncomingMessage['headers'];
  close(): Promise<void>;
}

/** Starts a collector of traces that stores what it receives. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const receiver: Omit<TraceReceiver, 'url' | 'close'> = { spans: [], bodies: [], headers: {} };
  const server = createServer((request, response) => {
    void (async () => {
      const text = Buffer.concat(await request.toArray()).toString();
      receiver.bodies.push(text);
      receiver.headers = request.headers;
      for (const { resource, scopeSpans } of body.parse(JSON.parse(text)).resourceSpans) {
        for (const { spans } of scopeSpans) {
          receiver.spans.push(...spans.map((span) => ({ ...span, resource: resource.attributes })));
        }
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // Safe cast: it listens on a port.
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
