import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { recordSchemas } from '@esd/record/catalog/record-schema';
import { ERROR_CODES, type ErrorCode } from '@esd/api/error-codes';
import { THIS_PROCESS } from '@esd/service/health/this-process';
import { errorBody } from '@esd/api/error-body';
import { type Description, tags } from '@esd/api/operation';
import type { Route } from '../http/route.ts';

export type DescribedRoute = Route & { describe: Description };

const ABOUT = `Curated records of electrospinning experiments: public reads, and submissions that moderators review.

Every path is available at the root and under \`/api\`. Every \`GET\` also supports \`HEAD\`. All errors have the same body, \`Error\`,
and are distinguished by \`code\`. An undocumented status, such as 500, indicates a fault of the service; its body is the same.

Requests are limited per client address and minute. All operations of a class (\`x-rate-limit\`) share one limit: \`reads\`, \`pages\`, \`analysis\`,
\`exports\`, \`submissions\`, \`accounts\` and \`sessions\`. An \`analysis\` with a cached result counts as a read, and requests for unknown paths count as \`other\`.
Every response of a limited operation reports the limit in \`RateLimit-Policy: "reads";q=600;w=60\` (600 in 60 s). It reports the remaining requests and the
seconds until the count restarts in \`RateLimit: "reads";r=599;t=60\`. Beyond the limit, the response is 429 with \`Retry-After\`.

\`x-callers\` names the callers of an operation: \`anyone\` without a credential, an \`account\` with a session token or a personal
access token, a \`session\` with a session token only, or a session of a \`moderator\` or an \`admin\`.`;

export function isDescribed(route: Route): route is DescribedRoute {
  return route.describe !== 'page';
}

/** Returns the OpenAPI 3.1 document of routes. Server URLs are relative, so it is valid at every address. */
export function openApiDocument(routes: readonly DescribedRoute[]): object {
  const registry = new OpenAPIRegistry();
  for (const [name, schema] of Object.entries(recordSchemas)) registry.registerComponent('schemas', name, schema);
  registry.registerComponent('securitySchemes', BEARER, {
    type: 'http',
    scheme: 'bearer',
    description: 'A session token or a personal access token.',
  });
  for (const one of routes) registry.registerPath(operation(one));
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title: 'Electrospinning Dataset Service', version: THIS_PROCESS.version, description: ABOUT },
    servers: [{ url: '.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  });
  return document;
}

const BEARER = 'bearer';
const SECURITY = {
  ignored: [],
  optional: [{}, { [BEARER]: [] }],
  required: [{ [BEARER]: [] }],
  session: [{ [BEARER]: [] }],
};
/** The callers that a route allows, by its role or else by its treatment of credentials. */
const CALLERS = {
  ignored: 'anyone',
  optional: 'anyone or account',
  required: 'account',
  session: 'session',
  MODERATOR: 'moderator',
  ADMIN: 'admin',
} as const;
const rangeHeaders = { Range: 'A single range of bytes.', 'If-Range': 'The entity tag that the range applies to.' };

function operation(route: DescribedRoute): RouteConfig {
  const { method, path, caller, role, limit, describe, query, parameters, body } = route;
  const { tag, summary, details, headers = {}, example } = describe;
  const template = path.replaceAll(/[:*](\w+)/g, '{$1}');
  return {
    method,
    path: template,
    operationId:
      method + template.replaceAll(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase()).replaceAll(/\W/g, ''),
    tags: [tag],
    summary,
    ...(details === undefined ? {} : { description: details }),
    ...(limit === 'none' ? {} : { 'x-rate-limit': limit }),
    'x-callers': CALLERS[role ?? caller],
    security: SECURITY[caller],
    request: {
      query: withExamples(query, example?.parameters),
      params: withExamples(parameters, example?.parameters),
      headers: z.object(
        Object.fromEntries(
          Object.entries({
            ...headers,
            ...(describe.ranges ? rangeHeaders : {}),
            ...(describe.revalidates
              ? { 'If-None-Match': 'Entity tags of the responses that the caller already has.' }
              : {}),
          }).map(([name, description]) => [name, z.string().optional().meta({ description })]),
        ),
      ),
      ...(body && {
        body: {
          content: { [body.mediaType ?? 'application/json']: { schema: body.schema, example: example?.body } },
          required: body.required,
        },
      }),
    },
    responses: { ...successes(route), ...refusals(route) },
  };
}

function withExamples(
  shape: z.ZodObject<z.ZodRawShape>,
  examples: Readonly<Record<string, string | number>> = {},
): z.ZodObject {
  const members = Object.entries(shape.shape).map(([name, schema]): [string, z.core.$ZodType] => {
    const example = examples[name];
    if (example === undefined || !(schema instanceof z.ZodType)) return [name, schema];
    return [name, schema.meta({ ...schema.meta(), param: { example } })];
  });
  return z.object(Object.fromEntries(members));
}

const AT_ROOT = 'The path is under `/api` or ends with a slash. The resource exists only at `Location`.';

function successes({ describe, answer, isAtRootOnly }: DescribedRoute): RouteConfig['responses'] {
  const {
    status = 200,
    returns,
    otherTypes = [],
    answerHeaders = {},
    revalidates,
    ranges,
    alternative,
    redirects,
  } = describe;
  if (answer === undefined && otherTypes.length === 0) return {};
  const names = {
    ...answerHeaders,
    ...(revalidates ? { ETag: 'The entity tag of the response.' } : {}),
  };
  const headers = Object.fromEntries<{ description: string; schema: { type: 'string' } }>(
    Object.entries(names).map(([name, description]) => [name, { description, schema: { type: 'string' as const } }]),
  );
  const others = otherTypes.map((type) => [type, { schema: { type: 'string' as const } }] as const);
  const content = {
    ...(answer && { 'application/json': { schema: answer } }),
    ...Object.fromEntries<{ schema: { type: 'string' } }>(others),
  };
  return {
    [status]: { description: returns, headers, content },
    ...(ranges && { 206: { description: 'The requested bytes.', headers, content: textContent(content) } }),
    ...(alternative && {
      [alternative.status]: {
        description: alternative.returns,
        ...(alternative.answer && { content: { 'application/json': { schema: alternative.answer } } }),
      },
    }),
    ...(redirects && { [redirects.status]: { description: redirects.when } }),
    ...(isAtRootOnly && { 308: { description: AT_ROOT } }),
    ...(revalidates ? { 304: { description: 'The caller already has the current state.' } } : {}),
  };
}

/** Returns the content of a partial response, which has no JSON schema. */
function textContent(content: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.keys(content).map((type) => [type, { schema: { type: 'string' as const } }]));
}

/** Returns the error responses by status, each with its possible codes. */
function refusals(route: DescribedRoute): RouteConfig['responses'] {
  const codes = new Set<ErrorCode>(['INVALID_PARAMETER', 'UNAVAILABLE', ...(route.describe.errors ?? [])]);
  const add = (...more: ErrorCode[]): void => more.forEach((code) => codes.add(code));
  if (Object.keys(route.parameters.shape).length > 0) add('INVALID_REQUEST');
  if (route.body) add('INVALID_REQUEST', 'VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (route.describe.ranges) add('RANGE_NOT_SATISFIABLE');
  if (route.limit !== 'none') add('RATE_LIMITED');
  if (route.caller === 'required' || route.caller === 'session') add('AUTH_REQUIRED');
  if (route.caller === 'session') add('SESSION_REQUIRED');
  if (route.ownPagesOnly) add('ORIGIN_NOT_ALLOWED', 'HTTPS_REQUIRED');
  if (route.role) add('FORBIDDEN', 'SESSION_REQUIRED', 'TWO_FACTOR_REQUIRED');
  if (route.caller !== 'ignored') add('TOKEN_INVALID', 'TOKEN_REVOKED', 'TOKEN_EXPIRED');
  // A role requires a session, and two-factor sign-in if the service requires it of staff.
  if (codes.has('FORBIDDEN') && route.caller !== 'ignored') add('SESSION_REQUIRED', 'TWO_FACTOR_REQUIRED');
  const byStatus = Map.groupBy([...codes].sort(), (code) => ERROR_CODES[code].http);
  const { protocolError } = route.describe;
  return Object.fromEntries(
    [...byStatus].map(([status, possible]) => {
      const shape = route.describe.otherAnswers?.[status] ?? errorBody;
      const own = z.intersection(shape, z.looseObject({ code: z.enum(possible) }));
      const schema = protocolError && [400, 404].includes(status) ? z.union([own, protocolError]) : own;
      const headers = status === ERROR_CODES.RATE_LIMITED.http ? { headers: limitHeaders(route.limit) } : {};
      return [status, { description: possible.join(', '), ...headers, content: { 'application/json': { schema } } }];
    }),
  );
}

function limitHeaders(limit: Route['limit']) {
  const text = (description: string) => ({ description, schema: { type: 'string' as const } });
  return {
    'Retry-After': text('Seconds until the count restarts.'),
    RateLimit: text(`\`"${limit}";r=0;t=42\`: the remaining requests, and the seconds until the count restarts.`),
    'RateLimit-Policy': text(`\`"${limit}";q=…;w=60\`: the limit, and its window in seconds.`),
  };
}
