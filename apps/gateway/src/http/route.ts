import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Target } from '@esd/proto/peers';
import type { CallerMode, MinimumRole } from './bearer.ts';
import { type Call, type Method, timeFor } from './call.ts';
import type { BodyBudget } from './limits/body-budget.ts';
import type { LimitClass } from './limits/rate-limits.ts';
import { integerText, readParameters, readQuery } from './query.ts';
import type { Description } from './route-description.ts';

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

interface Definition<Query extends z.ZodRawShape, Parameters extends z.ZodRawShape, Body, Answer> {
  method: Method;
  path: string;
  caller: CallerMode;
  /** Only pages of this service may ask, see `ownOriginCheck`. */
  ownPagesOnly?: true;
  /** The least role that may do it; anybody unless given. */
  role?: MinimumRole;
  /** What of the services looks at the caller: the caller's assertions are made for these. */
  targets?: readonly Target[];
  /** The class of its rate limit: `reads` for GET and `submissions` for the others, unless given. */
  limit?: LimitClass | 'none';
  /** What the OpenAPI document says of it; a page for people is not in the document. */
  describe: Description | 'page';
  /** The known query parameters; without it there are none. */
  query?: z.ZodObject<Query>;
  /** A page takes any: links to it get parameters that are not its own. */
  anyQuery?: true;
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
  ownPagesOnly: boolean;
  role: MinimumRole | undefined;
  targets: readonly Target[];
  limit: LimitClass | 'none';
  describe: Description | 'page';
  query: z.ZodObject<z.ZodRawShape>;
  parameters: z.ZodObject<z.ZodRawShape>;
  body: BodyReader<unknown> | undefined;
  answer: z.ZodType | undefined;
  /** Which requests it answers, where another route has the same method and path; all of them unless given. */
  isFor?: (request: Request) => boolean;
  /** Checks query, path and body, in this order, then does the work; throws ServiceError. */
  run: (request: Request, response: Response<unknown>, call: Call, budget: BodyBudget) => Promise<void>;
}

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
    ownPagesOnly: definition.ownPagesOnly ?? false,
    role: definition.role,
    targets: definition.targets ?? [],
    limit: definition.limit ?? (method === 'get' ? 'reads' : 'submissions'),
    describe,
    query,
    parameters,
    body,
    answer,
    run: async (request, response, call, budget) => {
      const checked = {
        query: readQuery(definition.anyQuery ? '' : request.url, query),
        parameters: readParameters(request.params, parameters),
      };
      const release = body && budget(request, body.limit);
      if (body?.isPassedOn) request.once('close', () => release?.());
      try {
        // Without a reader the type parameter is undefined.
        const read = (await body?.read(request)) as Body;
        // The time that the caller took to send a body is not taken from the work.
        if (body) call.deadline = Date.now() + timeFor(method);
        await definition.handle({ ...checked, body: read, call, request }, response);
      } finally {
        release?.();
      }
    },
  };
}
