import type { Request, Response } from 'express';
import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import type { Caller } from '@esd/service/assertion';
import type { Target } from '@esd/service/peers';
import type { CallOptions } from '@esd/service/rpc-client';
import { shorten } from '@esd/record/problems';
import type { CallerMode, LeastRole } from './bearer.ts';
import type { BodyBudget } from './body-budget.ts';
import { clientIp } from './client-ip.ts';
import type { LimitClass } from './limits.ts';
import type { Description } from './openapi-description.ts';
import { integerText, readQuery } from './query.ts';

/** What the services behind are told of a request. */
export interface Call extends CallOptions {
  requestId: string;
  deadline: number;
  signal: AbortSignal;
  /** The address of the client, as far as the trusted proxies tell it. */
  clientIp?: string | undefined;
  /** Who calls; undefined where nobody presented a credential. */
  caller?: Caller | undefined;
  /** The newest state of the dataset that any caller has seen here. */
  stateSeen?: { datasetId: string; revision: number } | undefined;
}

/** A request as its route sees it: everything checked. */
export interface Input<Query, Parameters, Body> {
  query: Query;
  parameters: Parameters;
  body: Body;
  call: Call;
  request: Request;
}

/** How a body is read, and what it looks like. */
export interface BodyReader<Body> {
  /** Throws ServiceError for what is not right. */
  read: (request: Request) => Promise<Body>;
  schema: z.ZodType;
  required: boolean;
  /** Bytes, at most. */
  limit: number;
  /** Whether it goes on as it comes: then nothing of it is left here once it has been read. */
  isPassedOn?: true;
  /** application/json unless given. */
  mediaType?: string;
}

/** The HTTP methods of the interface. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

interface Definition<Query extends z.ZodRawShape, Parameters extends z.ZodRawShape, Body, Answer> {
  method: Method;
  path: string;
  caller: CallerMode;
  /** The least role that may do it; anybody unless given. */
  role?: LeastRole;
  /** What of the services looks at the caller: the caller's assertions are made for these. */
  targets?: readonly Target[];
  /** The class of its rate limit: `reads` for GET and `submissions` for the others, unless given. */
  limit?: LimitClass | 'none';
  /** What the OpenAPI document says of it; a page for people is not in the document. */
  describe: Description | 'page';
  /** The known query parameters; without it there are none. */
  query?: z.ZodObject<Query>;
  /** The parameters in the path. */
  parameters?: z.ZodObject<Parameters>;
  /** Without it the body is not looked at. */
  body?: BodyReader<Body>;
  /** The shape of the JSON that is answered. */
  answer?: z.ZodType<Answer>;
  handle: (
    input: Input<z.output<z.ZodObject<Query>>, z.output<z.ZodObject<Parameters>>, Body>,
    response: Response<Answer>,
  ) => Promise<void> | void;
}

/** One row of the interface. */
export interface Route {
  method: Method;
  path: string;
  caller: CallerMode;
  role: LeastRole | undefined;
  targets: readonly Target[];
  limit: LimitClass | 'none';
  describe: Description | 'page';
  query: z.ZodObject<z.ZodRawShape>;
  parameters: z.ZodObject<z.ZodRawShape>;
  body: BodyReader<unknown> | undefined;
  answer: z.ZodType | undefined;
  /** Checks query, path and body, in this order, then does the work; throws ServiceError. */
  run: (request: Request, response: Response<unknown>, call: Call, budget: BodyBudget) => Promise<void>;
}

const READ_MS = 10_000;
const WRITE_MS = 30_000;

/** The id of a record in a path. */
export const recordIdText = integerText(1, Number.MAX_SAFE_INTEGER);

type NoShape = Readonly<Record<string, never>>;

/** Defines a route. */
export function route<
  Query extends z.ZodRawShape = NoShape,
  Parameters extends z.ZodRawShape = NoShape,
  Body = undefined,
  Answer = unknown,
>(definition: Definition<Query, Parameters, Body, Answer>): Route {
  const { method, path, caller, describe, body, answer } = definition;
  // Without a schema the type parameters are the empty shape, which this schema has.
  const query = definition.query ?? (z.object({}) as unknown as z.ZodObject<Query>);
  const parameters = definition.parameters ?? (z.object({}) as unknown as z.ZodObject<Parameters>);
  return {
    method,
    path,
    caller,
    role: definition.role,
    targets: definition.targets ?? [],
    limit: definition.limit ?? (method === 'get' ? 'reads' : 'submissions'),
    describe,
    query,
    parameters,
    body,
    answer,
    run: async (request, response, call, budget) => {
      const checked = { query: readQuery(request.url, query), parameters: readParameters(request, parameters) };
      const share = body && budget(request, body.limit);
      if (body?.isPassedOn) request.once('close', () => share?.release());
      try {
        // Without a reader the type parameter is undefined.
        const read = (await body?.read(request)) as Body;
        // The time that the caller took to send a body is not taken from the work.
        if (body) call.deadline = Date.now() + timeOf(method);
        await definition.handle({ ...checked, body: read, call, request }, response);
      } finally {
        share?.release();
      }
    },
  };
}

/** Opens the call of a request: it ends when the caller goes, or at the deadline, 10 s for reads and 30 s for writes. */
export function openCall(request: Request, response: Response, method: Route['method']): Call {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return {
    requestId: request.requestId,
    deadline: Date.now() + timeOf(method),
    signal: gone.signal,
    clientIp: clientIp(request),
  };
}

function timeOf(method: Route['method']): number {
  return method === 'get' ? READ_MS : WRITE_MS;
}

function readParameters<Shape extends z.ZodRawShape>(
  request: Request,
  schema: z.ZodObject<Shape>,
): z.output<z.ZodObject<Shape>> {
  const result = schema.safeParse(request.params);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const value = request.params[String(issue?.path[0] ?? '')];
  throw new ServiceError(
    'INVALID_PARAMETER',
    `"${shorten(String(value))}" in the path ${issue?.message ?? 'is not valid'}.`,
  );
}
