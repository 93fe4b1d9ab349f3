import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Target } from '@esd/proto/peers';
import { type Call, timeFor } from './call.ts';
import { readParameters, readQuery } from './query.ts';
import type { CallerMode, Description, LimitClass, Method, MinimumRole, Operation } from '@esd/api/operation';

export interface Input<Query, Parameters, Body> {
  query: Query;
  parameters: Parameters;
  body: Body;
  call: Call;
  request: Request;
}

export interface BodyReader<Body> {
  read: (request: Request) => Promise<Body>;
  schema: z.ZodType;
  required: boolean;
  /** Maximum bytes. */
  limit: number;
  /** Whether the body is proxied as a stream, so that it takes no memory once it is sent. */
  isPassedOn?: true;
  /** `application/json` by default. */
  mediaType?: string;
}

/**
 * Reserves memory for the body of a request before it is read: its Content-Length, or else the limit of its route. Returns
 * the function that releases it. Throws RATE_LIMITED if the unfinished bodies of the client exceed its share, and
 * UNAVAILABLE if those of all clients exceed the total.
 */
export type ReserveBody = (request: Request, limit: number) => () => void;

interface Definition<Query extends z.ZodRawShape, Parameters extends z.ZodRawShape, Body, Answer> extends Omit<
  Operation,
  'describe' | 'query' | 'parameters' | 'body' | 'isBodyOptional' | 'response'
> {
  /** The targets that check the caller; caller assertions are requested for these. */
  targets?: readonly Target[];
  /** The entry in the OpenAPI document; a web page (`page`) has none. */
  describe: Description | 'page';
  query?: z.ZodObject<Query>;
  /** Accepts any query: other sites add parameters to links to web pages. */
  anyQuery?: true;
  parameters?: z.ZodObject<Parameters>;
  /** Without it, the body is ignored. */
  body?: BodyReader<Body>;
  answer?: z.ZodType<Answer>;
  handle: (
    input: Input<z.output<z.ZodObject<Query>>, z.output<z.ZodObject<Parameters>>, Body>,
    response: Response<Answer>,
  ) => Promise<void> | void;
}

export interface Route {
  method: Method;
  path: string;
  caller: CallerMode;
  ownPagesOnly: boolean;
  role: MinimumRole | undefined;
  targets: readonly Target[];
  limit: LimitClass | 'none';
  isAtRootOnly: boolean;
  describe: Description | 'page';
  query: z.ZodObject<z.ZodRawShape>;
  parameters: z.ZodObject<z.ZodRawShape>;
  body: BodyReader<unknown> | undefined;
  answer: z.ZodType | undefined;
  /** Selects the requests of this route if another one has the same method and path; all of them by default. */
  isFor?: (request: Request) => boolean;
  /** Validates query, path and body, in this order, then handles the request. Throws ServiceError. */
  run: (request: Request, response: Response<unknown>, call: Call, reserveBody: ReserveBody) => Promise<void>;
}

type NoShape = Readonly<Record<string, never>>;

export function route<
  Query extends z.ZodRawShape = NoShape,
  Parameters extends z.ZodRawShape = NoShape,
  Body = undefined,
  Answer = unknown,
>(definition: Definition<Query, Parameters, Body, Answer>): Route {
  const { method, path, caller, describe, body, answer } = definition;
  // Without a schema, the type parameter is the empty shape.
  const query = definition.query ?? (z.object({}) as unknown as z.ZodObject<Query>);
  const parameters = definition.parameters ?? (z.object({}) as unknown as z.ZodObject<Parameters>);
  return {
    method,
    path,
    caller,
    ownPagesOnly: definition.ownPagesOnly ?? false,
    role: definition.role,
    targets: definition.targets ?? [],
    limit: definition.limit ?? (method === 'get' ? 'reads' : 'submissions'),
    isAtRootOnly: definition.isAtRootOnly ?? false,
    describe,
    query,
    parameters,
    body,
    answer,
    run: async (request, response, call, reserveBody) => {
      const checked = {
        query: readQuery(definition.anyQuery ? '' : request.url, query),
        parameters: readParameters(request.params, parameters),
      };
      const release = body && reserveBody(request, body.limit);
      if (body?.isPassedOn) request.once('close', () => release?.());
      try {
        // Without a reader, the type parameter is undefined.
        const read = (await body?.read(request)) as Body;
        // The upload time of a body does not count against the deadline.
        if (body) call.deadline = Date.now() + timeFor(method);
        await definition.handle({ ...checked, body: read, call, request }, response);
      } finally {
        release?.();
      }
    },
  };
}
