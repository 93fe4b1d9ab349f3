import { ERROR_CODES } from '@esd/api/error-codes';
import { ServiceError, toServiceError } from '@esd/service/errors';
import { THIS_PROCESS } from '@esd/service/health/this-process';
import type { CallToolResult, McpHttpHandler, Tool as ListedTool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { timeFor } from '../../http/call.ts';
import { jsonBytes } from '../../http/body/json-body.ts';
import { route, type Route } from '../../http/route.ts';
import type { Tool, ToolContext } from './tool.ts';
import type { ToolSources } from './tool-parts.ts';
import { mcpTools } from './tools.ts';

const MAX_BYTES = 262_144;
/** The bytes of a response around its result. */
const ENVELOPE_BYTES = 1_024;
const NAME = 'electrospinning-dataset';
const INSTRUCTIONS =
  'Published electrospinning experiments: polymer, solvent, process settings, fiber diameter, and whether the run was stable, each with its paper. Call describe_dataset first. Read results with their caveats: many papers report only successful runs, records repeat, and a filter by a result hides failed runs. Numbers are in the units of the filters. Name the citation of the response and the papers when you use the data; cite returns them in other styles.';
const ANNOTATIONS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
const HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** A JSON-RPC message of the protocol. The package checks its members. */
const message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  id: z.union([z.string(), z.int()]).optional(),
  params: z.looseObject({}).optional(),
});
const answer = z.looseObject({ jsonrpc: z.literal('2.0') });

/** A JSON Schema of an object. */
const jsonSchema = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.json()),
  required: z.array(z.string()).optional(),
});

/** A request, and the error that its tool threw if it is an error of HTTP. */
interface Exchanged extends ToolContext {
  failure?: ServiceError;
}

/** Serves the Model Context Protocol without sessions and streams. */
export function mcpRoutes(sources: ToolSources): Route[] {
  const contexts = new WeakMap<Request, Exchanged>();
  let loading: Promise<McpHttpHandler> | undefined;
  // Loaded on first use: most gateways never serve it.
  const handler = (): Promise<McpHttpHandler> => (loading ??= openHandler(mcpTools(sources), contexts));
  return [
    route({
      method: 'post',
      path: '/mcp',
      caller: 'ignored',
      limit: 'reads',
      describe: {
        tag: 'Assistants',
        summary: 'Call a tool by the Model Context Protocol',
        details:
          'Streamable HTTP in the revisions 2025-11-25 and 2026-07-28, without sessions. `docs/programs.md` in the repository lists the tools. A call of an analysis that must be computed also counts in the class `analysis`. An error of the protocol has the member `error`, with the status 200, 400 or 404.',
        returns: 'The response message, or one event that contains it.',
        otherTypes: ['text/event-stream'],
        protocolError: answer,
        errors: ['ROUTE_NOT_FOUND'],
        alternative: { status: 202, returns: 'The message was a notification.' },
        example: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
      },
      body: jsonBytes(MAX_BYTES, message),
      answer,
      handle: async ({ body, request: { exchange, headers }, call }, response) => {
        // Tools read. Their service calls end at this deadline.
        call.deadline = Date.now() + timeFor('get');
        const sent = messageOf(body);
        const { fetch } = await handler();
        const request = new Request('http://localhost/mcp', {
          method: 'POST',
          // Both types, because each response is one message.
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          signal: call.signal,
        });
        for (const name of HEADERS) {
          const value = headers[name];
          if (typeof value === 'string') request.headers.set(name, value);
        }
        const context: Exchanged = { exchange, call };
        contexts.set(request, context);
        const answered = await fetch(request, { parsedBody: sent });
        const text = await answered.text();
        if (context.failure) throw context.failure;
        response.status(answered.status).set('Cache-Control', 'no-store');
        const type = answered.headers.get('content-type');
        if (type !== null) response.setHeader('Content-Type', type);
        response.setHeader('Content-Length', Buffer.byteLength(text));
        response.end(text);
      },
    }),
  ];
}

/** Throws INVALID_REQUEST for bad JSON, a batch, and any other value that is not a request or a notification. */
function messageOf(body: Buffer): z.output<typeof message> {
  let sent: unknown;
  try {
    sent = JSON.parse(body.toString());
  } catch {
    throw new ServiceError('INVALID_REQUEST', 'The body must be valid JSON.');
  }
  const { data } = message.safeParse(sent);
  if (data) return data;
  throw new ServiceError(
    'INVALID_REQUEST',
    'The body must be one message with `jsonrpc` "2.0" and a `method`. Send the messages of a batch one by one.',
  );
}

/** Loads the package and creates its handler. `contexts` has the context of each request. */
async function openHandler(tools: readonly Tool[], contexts: WeakMap<Request, Exchanged>): Promise<McpHttpHandler> {
  const { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } = await import('@modelcontextprotocol/server');
  const listed = tools.map(listedTool);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return createMcpHandler(
    ({ requestInfo }) => {
      const context = requestInfo && contexts.get(requestInfo);
      if (!context) throw new Error('the request has no context');
      const server = new Server(
        { name: NAME, version: THIS_PROCESS.version },
        { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
      );
      server.setRequestHandler('tools/list', () => ({ tools: listed }));
      server.setRequestHandler('tools/call', async ({ params: { name, arguments: sent } }) => {
        const tool = byName.get(name);
        if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
        try {
          const { result, note } = await tool.run(sent, context);
          const texts = [JSON.stringify(result), ...(note === undefined ? [] : [note])];
          return bounded({
            content: texts.map((text) => ({ type: 'text', text })),
            structuredContent: { ...result },
          });
        } catch (thrown) {
          const error = toServiceError(thrown);
          // Limits and faults of the service are responses of HTTP, as for every other path.
          if (ERROR_CODES[error.code].http >= ERROR_CODES.RATE_LIMITED.http) {
            context.failure = error;
          }
          return { content: [{ type: 'text', text: `${error.code}: ${error.message}` }], isError: true };
        }
      });
      return server;
    },
    { legacy: 'stateless', maxRequestBodySize: MAX_BYTES, maxSubscriptions: 0, keepAliveMs: 0 },
  );
}

/** Throws PAYLOAD_TOO_LARGE for a result that exceeds a response. */
function bounded(result: CallToolResult): CallToolResult {
  const bytes = Buffer.byteLength(JSON.stringify(result)) + ENVELOPE_BYTES;
  if (bytes <= MAX_BYTES) return result;
  throw new ServiceError(
    'PAYLOAD_TOO_LARGE',
    `The response would have ${bytes} bytes, more than the maximum of ${MAX_BYTES}. Request fewer items, or read the data by HTTP (/openapi.json lists the paths).`,
  );
}

function listedTool({ name, title, description, input, output }: Tool): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema: jsonSchema.parse(z.toJSONSchema(input, { io: 'input' })),
    outputSchema: jsonSchema.parse(z.toJSONSchema(output)),
    annotations: ANNOTATIONS,
  };
}
