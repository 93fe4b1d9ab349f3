import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { leaseStack } from '@esd/testing/leased-stack';
import { newAdmin } from './support/admin.ts';
import { apiAt } from './support/api.ts';

/** Texts in a URL, percent-encoded, and in JSON. A lone surrogate in a URL is not valid UTF-8. */
const HOSTILE = [
  { name: 'NUL', inUrl: 'PV%00A', inJson: 'PV\0A' },
  { name: 'a lone surrogate', inUrl: 'PV%ED%A0%80A', inJson: 'PV\ud800A' },
  { name: 'a text of 64 KB', inUrl: 'x'.repeat(65_536), inJson: 'x'.repeat(65_536) },
];
const MAX_DEPTH = 8;
const IN_PARALLEL = 2;

type Path = readonly (string | number)[];

const schemaShape = z.looseObject({
  $ref: z.string().default(''),
  type: z.union([z.string(), z.array(z.string())]).default([]),
  properties: z.record(z.string(), z.unknown()).default({}),
  items: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
  anyOf: z.array(z.unknown()).default([]),
  oneOf: z.array(z.unknown()).default([]),
  allOf: z.array(z.unknown()).default([]),
});
const parameter = z.object({ name: z.string(), in: z.string(), example: z.union([z.string(), z.number()]).optional() });
const operation = z.object({
  parameters: z.array(parameter).default([]),
  requestBody: z
    .object({ content: z.record(z.string(), z.object({ schema: z.unknown(), example: z.unknown().optional() })) })
    .optional(),
});
const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});
type Schemas = z.output<typeof document>['components']['schemas'];

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
let token: string;
beforeAll(async () => {
  ({ token } = await newAdmin(stack, apiAt(stack.url)));
});

/** Returns the paths of the texts that match a schema. */
function textPaths(schemas: Schemas, schema: unknown, path: Path = []): Path[] {
  const { data } = schemaShape.safeParse(schema);
  if (!data || path.length > MAX_DEPTH) return [];
  const at = (inside: unknown, ...names: Path) => textPaths(schemas, inside, [...path, ...names]);
  return [
    ...at(schemas[data.$ref.split('/').at(-1) ?? '']),
    ...([data.type].flat().includes('string') ? [path] : []),
    ...Object.entries(data.properties).flatMap(([name, inside]) => at(inside, name)),
    ...at(data.items, 0),
    ...at(data.additionalProperties, 'member'),
    ...[...data.anyOf, ...data.oneOf, ...data.allOf].flatMap((inside) => at(inside)),
  ];
}

/** Returns a JSON value with another value at a path. */
function withValue(value: unknown, [name, ...rest]: Path, inside: unknown): unknown {
  if (name === undefined) return inside;
  if (typeof name === 'number') return [withValue(Array.isArray(value) ? value[0] : undefined, rest, inside)];
  const members = z.record(z.string(), z.unknown()).catch({}).parse(value);
  return { ...members, [name]: withValue(members[name], rest, inside) };
}

/** Returns the requests with one hostile text each: in every parameter of a path and a query, and in every text of a body. */
function hostileRequests(
  { paths, components }: z.output<typeof document>,
  { inUrl, inJson }: (typeof HOSTILE)[number],
) {
  return Object.entries(paths).flatMap(([template, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters, requestBody }]) => {
      const urlWith = (hostile?: string): string => {
        const valueOf = ({ name, example }: z.output<typeof parameter>) =>
          name === hostile ? inUrl : encodeURIComponent(String(example ?? '1'));
        const path = parameters.reduce((url, one) => url.replace(`{${one.name}}`, valueOf(one)), template);
        const query = parameters.filter(
          (one) => one.in === 'query' && (one.name === hostile || one.example !== undefined),
        );
        return `${path}?${query.map((one) => `${one.name}=${valueOf(one)}`).join('&')}`;
      };
      const { schema, example = {} } = requestBody?.content['application/json'] ?? {};
      const verb = method.toUpperCase();
      const inUrls = parameters
        .filter((one) => one.in !== 'header')
        .map(({ name }) => ({ method: verb, url: urlWith(name) }));
      const inBodies = textPaths(components.schemas, schema).map((path) => ({
        ...{ method: verb, url: urlWith(), at: path.join('.') },
        body: JSON.stringify(withValue(example, path, inJson)),
      }));
      return [...inUrls.map((sent) => ({ ...sent, at: '', body: undefined })), ...inBodies];
    }),
  );
}

test.each(HOSTILE)('$name in any text of any operation causes no error of the service', async (hostile) => {
  const requests = hostileRequests(document.parse((await request(`${stack.url}/openapi.json`)).json), hostile);
  expect(requests.length).toBeGreaterThan(300);
  const failed: string[] = [];
  const worker = async (): Promise<void> => {
    for (let sent = requests.pop(); sent; sent = requests.pop()) {
      const { method, url, at, body } = sent;
      const headers = { 'content-type': 'application/json' };
      const { status } = await request(stack.url + url, {
        method,
        bearer: token,
        ...(body !== undefined && { headers, body }),
      });
      // A busy machine can answer 503.
      if (status >= 500 && status !== 503) failed.push(`${status} ${method} ${url.slice(0, 100)} ${at}`);
    }
  };
  await Promise.all(Array.from({ length: IN_PARALLEL }, worker));
  expect(failed).toEqual([]);
});

test('NUL in an argument of a tool is refused', async () => {
  for (const [name, args] of [
    ['cite', { version: 'v1\0' }],
    ['get_record', { recordId: 1, version: 'v1\0' }],
    ['search_records', { filter: { polymer: '=PV\0A' } }],
  ]) {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    const { status, text } = await request(`${stack.url}/mcp`, { method: 'POST', body });
    expect([status, text]).toEqual([200, expect.stringMatching(/INVALID_PARAMETER: `[\w.]+` must not contain NUL/)]);
  }
});

test.each(['/explore?polymer=%00', '/search?q=PV%00A', '/docs?q=%00'])('the page %s reports NUL', async (path) => {
  const { status, text } = await request(stack.url + path, { headers: { accept: 'text/html' } });
  expect([status, text.includes('\0'), text.startsWith('<!')]).toEqual([400, false, true]);
});
