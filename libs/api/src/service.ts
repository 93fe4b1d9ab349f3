import { z } from 'zod';
import { errorBody } from './error-body.ts';
import { operation } from './operation.ts';

const readiness = z.strictObject({
  ready: z.boolean(),
  dependencies: z.record(z.string(), z.enum(['up', 'down'])),
  warnings: z.array(z.string()),
});

// RFC 7517; a P-256 key of RFC 7518 §6.2.1.
const keySet = z.strictObject({
  keys: z.array(
    z.strictObject({
      kty: z.literal('EC'),
      crv: z.literal('P-256'),
      x: z.string(),
      y: z.string(),
      kid: z.string(),
      use: z.literal('sig'),
      alg: z.literal('ES256'),
    }),
  ),
});

// The OpenAPI specification defines the other members.
const anyDocument: z.ZodType = z.looseObject({ openapi: z.string() });

export const getHealth = operation({
  method: 'get',
  path: '/health',
  caller: 'ignored',
  limit: 'none',
  describe: { tag: 'Service', summary: 'Check that the gateway is alive', returns: 'The gateway is alive.' },
  response: z.strictObject({ status: z.literal('UP') }),
});

export const getReadiness = operation({
  method: 'get',
  path: '/ready',
  caller: 'ignored',
  limit: 'none',
  describe: {
    tag: 'Service',
    summary: 'Check that the service is ready',
    returns:
      'The service is ready. The response contains the state of each service behind the gateway, and warnings for operators, such as a disk that is 80 % full.',
    otherAnswers: { 503: z.strictObject({ ...errorBody.shape, ...readiness.shape }) },
  },
  response: readiness,
});

export const getSessionKeys = operation({
  method: 'get',
  path: '/.well-known/jwks.json',
  caller: 'ignored',
  describe: {
    tag: 'Service',
    summary: 'Get the public keys of session tokens',
    details:
      'The response is a JWK set (RFC 7517). While a key is being replaced, it contains two keys; the first one signs.',
    returns: 'The keys.',
  },
  response: keySet,
});

export const getLlmsTxt = operation({
  method: 'get',
  path: '/llms.txt',
  caller: 'ignored',
  limit: 'pages',
  isAtRootOnly: true,
  describe: {
    tag: 'Service',
    summary: 'Get an overview for language models',
    returns: 'Title, size and license of the dataset, links to data, API and citation, and caveats, as Markdown.',
    otherTypes: ['text/plain'],
    revalidates: true,
  },
});

export const getOpenApi = operation({
  method: 'get',
  path: '/openapi.json',
  caller: 'ignored',
  describe: { tag: 'Service', summary: 'Get this document', returns: 'An OpenAPI 3.1 document.', revalidates: true },
  response: anyDocument,
});
