import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { ERROR_CODES } from '@esd/api/error-codes';
import { closeAll, get, startUpstream, startGateway } from '../upstream-servers.ts';

const schema = z.record(z.string(), z.unknown());
const json = z.strictObject({ schema, example: z.unknown().optional() });
const otherContent = z.strictObject({ schema: z.strictObject({ type: z.literal('string') }) });
const content = z.strictObject({ 'application/json': json.optional(), 'multipart/form-data': json.optional() });
// Other media types are plain strings.
const answerContent = z.strictObject({ 'application/json': json.optional() }).catchall(otherContent);
const parameter = z.strictObject({
  name: z.string(),
  in: z.enum(['query', 'path', 'header']),
  required: z.boolean(),
  description: z.string().optional(),
  example: z.unknown().optional(),
  schema,
});
const operation = z.strictObject({
  operationId: z.string().regex(/^[a-z]+[A-Za-z]+$/),
  tags: z.array(z.string()).length(1),
  summary: z.string().min(1),
  description: z.string().optional(),
  'x-rate-limit': z
    .enum(['reads', 'pages', 'analysis', 'exports', 'files', 'submissions', 'accounts', 'sessions'])
    .optional(),
  'x-callers': z.enum(['anyone', 'anyone or account', 'account', 'session', 'moderator', 'admin']),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(parameter).default([]),
  requestBody: z.strictObject({ required: z.boolean(), content }).optional(),
  responses: z.record(
    z.string().regex(/^[2-5]\d\d$/),
    z.strictObject({ description: z.string().min(1), headers: schema.optional(), content: answerContent.optional() }),
  ),
});
const TOKENS_IN_REQUESTS = [
  'post /auth/login',
  'post /auth/refresh',
  'post /session',
  'post /session/refresh',
  'get /auth/verify-email',
  'post /auth/verify-email',
  'post /auth/reset-password',
];
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
// A strict schema of the parts of OpenAPI 3.1 that the document uses, to detect mistyped keywords.
const documentShape = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.tuple([z.strictObject({ url: z.literal('.') })]),
  tags: z.array(z.strictObject({ name: z.string(), description: z.string() })),
  paths: z.record(z.string().startsWith('/'), z.partialRecord(z.enum(METHODS), operation)),
  components: z.strictObject({
    schemas: z.record(z.string().regex(/^[A-Za-z]+$/), schema),
    securitySchemes: z.record(z.string(), z.record(z.string(), z.string())),
    parameters: z.strictObject({}),
  }),
  webhooks: z.strictObject({}),
});
type Document = z.output<typeof documentShape>;
type Operation = z.output<typeof operation>;

let gateway: Awaited<ReturnType<typeof startGateway>>;
let text: string;
let document: Document;
let operations: { path: string; method: (typeof METHODS)[number]; operation: Operation }[];
let ajv: Ajv2020;

beforeAll(async () => {
  gateway = await startGateway({ ports: [(await startUpstream({})).port] });
  ({ text } = await get(`${gateway.url}/openapi.json`));
  document = documentShape.parse(JSON.parse(text));
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const one = methods[method];
      return one ? [{ path, method, operation: one }] : [];
    }),
  );
  ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
  addFormats.default(ajv);
  // The document is the root schema, so that its references resolve.
  ajv.addVocabulary(Object.keys(document)).addSchema(document, 'document');
});
afterAll(closeAll);

function schemaPointers(): string[] {
  const escape = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
  const json = `content/${escape('application/json')}/schema`;
  return [
    ...Object.keys(document.components.schemas).map((name) => `components/schemas/${name}`),
    ...operations.flatMap(({ path, method, operation: { parameters, requestBody, responses } }) => {
      const at = `paths/${escape(path)}/${method}`;
      return [
        ...parameters.map((_, index) => `${at}/parameters/${index}/schema`),
        ...Object.keys(requestBody?.content ?? {}).map((type) => `${at}/requestBody/content/${escape(type)}/schema`),
        ...Object.entries(responses).flatMap(([status, { content }]) =>
          content?.['application/json'] ? [`${at}/responses/${status}/${json}`] : [],
        ),
      ];
    }),
  ];
}

describe('the document', () => {
  test('is OpenAPI 3.1, each operation with its own id and a known tag', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const known = document.tags.map(({ name }) => name);
    for (const { operation } of operations) expect(known).toEqual(expect.arrayContaining(operation.tags));
    expect(new Set(operations.flatMap(({ operation }) => operation.tags))).toEqual(new Set(known));
  });

  test('has schemas that compile, with references that resolve', () => {
    const pointers = schemaPointers();
    expect(pointers.length).toBeGreaterThan(100);
    for (const pointer of pointers) {
      expect([pointer, typeof ajv.getSchema(`document#/${pointer}`)]).toEqual([pointer, 'function']);
    }
    const references = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference = '']) => reference);
    expect(references.length).toBeGreaterThan(10);
    for (const reference of references) {
      const name = /^#\/components\/schemas\/(\w+)$/.exec(reference)?.[1] ?? reference;
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
  });

  test('has exactly the path parameters that its paths name', () => {
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter((one) => one.in === 'path');
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      for (const { required } of inPath) expect(required).toBe(true);
      const names = operation.parameters.map((one) => `${one.in} ${one.name}`);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('lists the responses and errors of every operation, each code under its status', () => {
    for (const { path, method, operation } of operations) {
      const statuses = Object.keys(operation.responses).map(Number);
      expect([path, statuses.some((status) => status < 300 || status === 501)]).toEqual([path, true]);
      for (const [status, { description }] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue;
        const http = Object.entries(ERROR_CODES).filter(([code]) => description.split(', ').includes(code));
        expect([path, http.map(([, of]) => of.http)]).toEqual([
          path,
          description.split(', ').map(() => Number(status)),
        ]);
      }
      const isSecured = operation.security.some((one) => Object.keys(one).length > 0);
      expect([path, statuses.includes(401)]).toEqual([
        path,
        isSecured || TOKENS_IN_REQUESTS.includes(`${method} ${path}`),
      ]);
    }
  });

  test('gives each operation the rate limit of its kind', () => {
    for (const { path, method, operation } of operations) {
      const isAnonymous = operation.security.length === 0;
      let expected: string | undefined = method === 'get' ? 'reads' : 'submissions';
      if (path.startsWith('/auth/') && (isAnonymous || method !== 'get')) expected = 'accounts';
      if (path.startsWith('/session')) expected = 'sessions';
      if (path === '/session' && method === 'post') expected = 'accounts';
      if (/export$|\.xlsx$|^\/cache\/download\/(?!count|versions)/.test(path)) expected = 'exports';
      if (path.startsWith('/files/')) expected = 'files';
      if (operation.tags.includes('Analysis') || path === '/public/queries/{id}/papers') expected = 'analysis';
      // A page view is reported with every read.
      if (path === '/analytics/view' || path === '/mcp') expected = 'reads';
      if (['/', '/explore', '/llms.txt'].includes(path) || /^\/(docs|feeds)/.test(path)) expected = 'pages';
      if (path === '/health' || path === '/ready') expected = undefined;
      expect([method, path, operation['x-rate-limit']]).toEqual([method, path, expected]);
      const { description, headers } = operation.responses['429'] ?? {};
      expect([path, description]).toEqual([path, expected === undefined ? undefined : 'RATE_LIMITED']);
      expect(Object.keys(headers ?? {})).toHaveLength(expected === undefined ? 0 : 3);
    }
  });

  test('has a valid example for everything that a request requires', () => {
    for (const { path, method, operation } of operations) {
      const at = `document#/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${method}`;
      for (const [index, { name, required, example }] of operation.parameters.entries()) {
        if (required) expect([path, name, example]).toEqual([path, name, expect.anything()]);
        if (example === undefined) continue;
        const validate = ajv.getSchema(`${at}/parameters/${index}/schema`);
        expect([path, name, validate?.(example), validate?.errors]).toEqual([path, name, true, null]);
      }
      const sent = operation.requestBody?.content['application/json'];
      if (!sent) continue;
      const validate = ajv.getSchema(`${at}/requestBody/content/application~1json/schema`);
      const { example } = sent;
      expect([path, validate?.(example), validate?.errors]).toEqual([path, true, null]);
    }
  });
});

describe('routes and document', () => {
  test('have the same paths', () => {
    // Web pages, their assets, and files for crawlers are not in the document.
    const pages =
      /^\/(assets\/|favicon\.ico$|record\/|paper\/|query\/|about$|privacy$|data-dictionary$|account$|contribute$|contributors$|moderate$|manage$|search$|releases?(\/|$)|robots\.txt$|sitemap|\.well-known\/api-catalog$)/;
    const named = gateway.paths.map((path) => path.replaceAll(/[:*](\w+)/g, '{$1}'));
    const routed = named.filter((path) => !pages.test(path));
    expect(routed.sort()).toEqual(Object.keys(document.paths).sort());
  });

  test('have the same methods', async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const { status, headers } = await get(gateway.url + path.replaceAll(/\{\w+\}/g, '1'), { method: 'OPTIONS' });
      const allowed = (headers.get('allow') ?? '').toLowerCase().split(', ');
      const described = Object.keys(methods).flatMap((method) => (method === 'get' ? ['get', 'head'] : [method]));
      expect([path, status, allowed.sort()]).toEqual([path, 204, [...described, 'options'].sort()]);
    }
  });
});

test.each(['/openapi.json', '/api/openapi.json'])(
  '%s is the same document at both base paths, can be compressed, and can be revalidated',
  async (path) => {
    const headers = { 'accept-encoding': 'identity' };
    const answer = await get(gateway.url + path, { headers });
    expect([answer.status, answer.text]).toEqual([200, text]);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const tag = answer.headers.get('etag') ?? '';
    const compressed = await get(gateway.url + path, { headers: { 'accept-encoding': 'br' } });
    expect([compressed.headers.get('content-encoding'), compressed.text]).toEqual(['br', text]);
    expect(compressed.headers.get('etag')).not.toBe(tag);
    const again = await get(gateway.url + path, { headers: { 'if-none-match': tag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await get(gateway.url + path, { method: 'HEAD', headers });
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
      200,
      '',
      String(Buffer.byteLength(text)),
    ]);
  },
);

describe('/docs', () => {
  const ids = (html: string): string[] => [...html.matchAll(/<h2 id="(\w+)"/g)].map(([, id = '']) => id);

  test('has a line for each operation, in its group', async () => {
    const { status, headers, text: page } = await get(`${gateway.url}/docs`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const { path, method, operation } of operations) {
      const group = operation.tags[0]?.toLowerCase().replaceAll(' ', '-') ?? '';
      const link = `<a href="/docs/${group}#${operation.operationId}"><b>${method.toUpperCase()}</b> <code>${path}</code></a>`;
      expect([operation.operationId, page.includes(link)]).toEqual([operation.operationId, true]);
      expect([path, page.includes(operation['x-callers'])]).toEqual([path, true]);
    }
  });

  test('has a page for each group, with each of its operations as an anchor, and examples', async () => {
    const found: string[] = [];
    for (const { name } of document.tags) {
      const page = await get(`${gateway.url}/docs/${name.toLowerCase().replaceAll(' ', '-')}`);
      expect([name, page.status]).toEqual([name, 200]);
      const inGroup = ids(page.text).filter((id) => id !== 'structures');
      found.push(...inGroup);
      for (const id of inGroup) {
        for (const language of ['curl', 'Python', 'JavaScript'])
          expect(page.text).toContain(`id="${id}-${language}-code"`);
      }
      // Each link within the page has a target.
      for (const [, target = ''] of page.text.matchAll(/href="#([^"]+)"/g)) {
        expect([name, target, page.text.includes(`id="${target}"`)]).toEqual([name, target, true]);
      }
      expect(page.text).not.toMatch(/undefined|\[object|&quot;None&quot;|\bNaN\b/);
    }
    expect(found.sort()).toEqual(operations.map(({ operation: { operationId } }) => operationId).sort());
  });

  test('finds operations by words of the method, the path and the summary', async () => {
    const found = await get(`${gateway.url}/docs?q=nearest+GET`);
    expect([...found.text.matchAll(/#(get\w+)"/g)].map(([, id]) => id)).toEqual([
      'getPublicDatasetNearest',
      'getPublicDatasetVersionNearest',
    ]);
    expect(found.text).toContain('<meta name="robots" content="noindex"/>');
    const none = await get(`${gateway.url}/docs?q=${encodeURIComponent('<img src=x>')}`);
    expect(none.text).toContain('No operation matches “&lt;img src=x>”.');
  });

  test('is at one URL, without services, and can be revalidated', async () => {
    for (const path of ['/docs/', '/api/docs', '/api/docs/']) {
      const answer = await get(`${gateway.url}${path}?q=a`, { redirect: 'manual' });
      expect([path, answer.status, answer.headers.get('location')]).toEqual([path, 308, '/docs?q=a']);
    }
    const { headers } = await get(`${gateway.url}/docs/dataset`);
    expect([headers.get('cache-control'), headers.get('content-encoding')]).toEqual([
      'no-cache',
      expect.stringMatching(/^(br|gzip)$/),
    ]);
    const again = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    expect((await get(`${gateway.url}/docs/dataset`, again)).status).toBe(304);
  });

  test.each(['none', 'constructor', '..%2fdataset', 'Dataset', 'swagger-ui.css'])('has no group %s', async (group) => {
    const answer = await get(`${gateway.url}/docs/${group}`);
    expect([answer.status, answer.json()]).toEqual([404, expect.objectContaining({ code: 'ROUTE_NOT_FOUND' })]);
    const page = await get(`${gateway.url}/docs/${group}`, { headers: { accept: 'text/html' } });
    expect([page.status, page.text.includes('<h1>Page not found</h1>')]).toEqual([404, true]);
  });
});
