import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  Client,
  type CallToolResult,
  ProtocolError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { leaseStack } from '@esd/testing/leased-stack';
import { anonymousSubmitter, recordAt } from '@esd/testing/records';
import { sharedStack } from '@esd/testing/shared-stack';
import type { TestStack } from '@esd/testing/stack';
import { newAdmin } from './support/admin.ts';
import { type Answer, type Api, apiAt } from './support/api.ts';
import { publishRecords } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';

const demo = apiAt((await sharedStack()).url);

const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
type Revision = (typeof REVISIONS)[number];
const TOOLS = ['describe_dataset', 'search_records', 'summarize', 'statistics', 'nearest', 'get_record', 'cite'];
const MAX_BYTES = 262_144;
const ANALYSES_PER_MINUTE = 120;
const WINDOW_MS = 60_000;

const source = z.strictObject({ version: z.string(), datasetRevision: z.int(), url: z.url() });
const schema = z.record(z.string(), z.unknown());
const common = z.looseObject({ citation: z.string(), caveats: z.array(z.string()), source });

/** Connects the client of the reference implementation with a revision of the protocol. */
async function open(url: string, revision: Revision): Promise<Client> {
  const mode = revision === '2026-07-28' ? { pin: revision } : ('legacy' as const);
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  // The share of analyses of this address can be used up by other test files.
  const patientFetch = (address: string | URL, init?: RequestInit) =>
    eventually(
      () => fetch(address, init),
      ({ status }) => status !== 429,
    );
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { fetch: patientFetch }));
  return client;
}

/** Calls a tool and returns the members of its response without those that every response has. */
async function callOf(client: Client, name: string, args: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: args });
  const { isError, content, structuredContent } = result;
  expect([name, isError ?? false, isError === true ? content : '']).toEqual([name, false, '']);
  const [item] = content;
  expect(item?.type === 'text' && JSON.parse(item.text)).toEqual(structuredContent);
  const { citation, caveats, source: from, ...own } = common.parse(structuredContent);
  return { own, citation, caveats, from };
}

const textOf = ({ content }: CallToolResult): string =>
  content.map((item) => (item.type === 'text' ? item.text : '')).join();

const query = (parameters: Readonly<Record<string, string>>): string => new URLSearchParams(parameters).toString();
const FILTER = { polymer: '=PVDF', voltageMin: 15 };
const FILTER_TEXT = JSON.stringify(FILTER);

describe.each(REVISIONS)('the client of the reference implementation in revision %s', (revision) => {
  let client: Client;
  beforeAll(async () => {
    client = await open(demo.url, revision);
  });
  afterAll(() => client.close());

  const page = async (path: string): Promise<string> => {
    const answer = await request(path, { headers: { accept: 'text/html' } });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text;
  };

  test('learns what the service offers', async () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'electrospinning-dataset' });
    const instructions = client.getInstructions() ?? '';
    expect(instructions.length).toBeLessThanOrEqual(600);
    expect(instructions).toMatch(/cit/);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    const ajv = new Ajv2020({ allowUnionTypes: true, strictRequired: false });
    addFormats.default(ajv);
    for (const { name, description, annotations, inputSchema, outputSchema } of tools) {
      expect([name, description]).toEqual([name, expect.stringMatching(/\.$/)]);
      expect(annotations).toEqual({ readOnlyHint: true, idempotentHint: true, openWorldHint: false });
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect([
        name,
        typeof ajv.compile(schema.parse(inputSchema)),
        typeof ajv.compile(schema.parse(outputSchema)),
      ]).toEqual([name, 'function', 'function']);
    }
  });

  test('describe_dataset has the features of the interface', async () => {
    const { own, citation, from } = await callOf(client, 'describe_dataset');
    const { features } = z
      .object({ features: z.array(z.looseObject({ type: z.string() })) })
      .parse((await demo.get('/metadata/features')).json);
    expect(own).toMatchObject({
      title: 'Electrospinning Dataset',
      license: 'CC-BY-4.0',
      records: 809,
      papers: 57,
      features: features.filter(({ type }) => type === 'number'),
      categories: features.filter(({ type }) => type === 'category'),
      versions: [{ versionIdentifier: 'v1.0.0', recordCount: 809, doi: null }],
      ...{ returned: 1, hasMore: false, next: null },
    });
    expect(own['filterKeys']).toEqual(expect.arrayContaining(['polymer', 'voltageMin', 'fiberDiameterMax', 'status']));
    const text = await demo.get('/public/dataset/metadata?format=text');
    expect(citation).toBe(text.text.trim());
    await page(from.url);
  });

  test('search_records lists the records of a page of results', async () => {
    const args = { filter: FILTER, sort: '-voltage', limit: 7, skip: 3 };
    const { own, from } = await callOf(client, 'search_records', args);
    const parameters = query({ filter: FILTER_TEXT, sort: '-voltage', limit: '7', skip: '3', normalized: 'true' });
    const answer = await demo.get(`/public/dataset?${parameters}`);
    const { data, total } = z
      .object({
        total: z.int(),
        data: z.array(
          z.looseObject({
            recordId: z.int(),
            normalized: z.record(z.string(), z.number()),
            polymerProperty: z.object({ polymerComponents: z.array(z.looseObject({ polymerName: z.string() })) }),
            solventProperty: z
              .object({ solventComponents: z.array(z.looseObject({ solventName: z.string() })) })
              .optional(),
            fiberProperty: z.looseObject({ isFormationStable: z.boolean().optional() }).optional(),
            researchMetadata: z.looseObject({ doi: z.string().optional() }).optional(),
          }),
        ),
      })
      .parse(answer.json);
    expect(data).toHaveLength(7);
    expect(own).toEqual({
      total,
      ...{ returned: 7, skip: 3, hasMore: true, next: { ...args, skip: 10 } },
      records: data.map((record) => ({
        recordId: record.recordId,
        polymers: record.polymerProperty.polymerComponents.map(({ polymerName }) => polymerName),
        solvents: record.solventProperty?.solventComponents.map(({ solventName }) => solventName) ?? [],
        values: record.normalized,
        isFormationStable: record.fiberProperty?.isFormationStable ?? null,
        doi: record.researchMetadata?.doi ?? null,
        url: `${demo.url}/record/${record.recordId}`,
      })),
    });
    expect(from).toEqual({
      version: 'latest',
      datasetRevision: Number(answer.headers.get('esd-dataset-revision')),
      url: `${demo.url}/explore?polymer=%3DPVDF&voltageMin=15&tab=table&sort=-voltage`,
    });
    expect(await page(from.url)).toContain(`${total} experiments`);
    const defaults = await callOf(client, 'search_records');
    expect(z.looseObject({ records: z.array(z.unknown()) }).parse(defaults.own).records).toHaveLength(20);
  });

  test('search_records finds a blend in any order and spelling', async () => {
    const totals = [
      { solventSystem: 'acetone and DMF' },
      { solventSystem: 'DMF:AC' },
      { solvent: 'DMF & acetone' },
    ].map(async (filter) => (await callOf(client, 'search_records', { filter, limit: 1 })).own['total']);
    expect(await Promise.all(totals)).toEqual([141, 141, 141]);
  });

  test('search_records names the next call until the last record', async () => {
    const list = z.looseObject({
      total: z.int(),
      records: z.array(z.looseObject({ recordId: z.int() })),
      returned: z.int(),
      hasMore: z.boolean(),
      next: z.record(z.string(), z.unknown()).nullable(),
    });
    const ids: number[] = [];
    const notes: string[] = [];
    let total = 0;
    for (let next: Record<string, unknown> | null = { filter: FILTER, limit: 100 }; next !== null;) {
      const result: CallToolResult = await client.callTool({ name: 'search_records', arguments: next });
      const [, note] = result.content;
      notes.push(note?.type === 'text' ? note.text : '');
      const listing = list.parse(result.structuredContent);
      ids.push(...listing.records.map(({ recordId }) => recordId));
      expect([listing.returned, listing.hasMore]).toEqual([listing.records.length, listing.next !== null]);
      ({ next, total } = listing);
    }
    expect([ids.length, new Set(ids).size]).toEqual([total, total]);
    expect(notes.at(0)).toBe(`Showing 100 of ${total}; call again with skip 100.`);
    expect(notes.at(-1)).toBe('');
    const beyond = await callOf(client, 'search_records', { skip: 5_000 });
    expect(beyond.own).toMatchObject({ returned: 0, hasMore: false, next: null });
  });

  test.each([
    ['summarize', { filter: FILTER }, 'summary', { filter: FILTER_TEXT }],
    [
      'summarize',
      { filter: { fiberDiameterMax: 500 }, repeats: 'all' },
      'summary',
      { filter: '{"fiberDiameterMax":500}', repeats: 'all' },
    ],
    [
      'statistics',
      { filter: FILTER, features: ['voltage', 'fiberDiameter'] },
      'statistics',
      { filter: FILTER_TEXT, features: 'voltage,fiberDiameter' },
    ],
    ['statistics', {}, 'statistics', {}],
  ] as const)('%s %j is the response of /%s', async (name, args, path, parameters) => {
    for (const version of ['latest', 'v1.0.0']) {
      const { own, from, citation } = await callOf(client, name, {
        ...args,
        ...(version === 'latest' ? {} : { version }),
      });
      expect(own).toEqual((await demo.get(`/public/dataset/${version}/${path}?${query(parameters)}`)).json);
      expect(from.version).toBe(version);
      expect(citation).toBe((await demo.get(`/public/dataset/${version}/metadata?format=text`)).text.trim());
      await page(from.url);
    }
  });

  test('nearest is the response of /nearest', async () => {
    const recipe = { polymer: 'PVDF', solvent: ['DMF', 'acetone'], voltage: 15, tipDist: 12 };
    const { own, from } = await callOf(client, 'nearest', { recipe, k: 5, filter: { voltageMin: 10 } });
    const parameters = query({ recipe: JSON.stringify(recipe), k: '5', filter: '{"voltageMin":10}' });
    const answer = z.looseObject({}).parse((await demo.get(`/public/dataset/nearest?${parameters}`)).json);
    expect(own).toEqual({ ...answer, returned: 5, hasMore: true, next: null });
    await page(from.url);
    const ofBlend = await callOf(client, 'nearest', {
      ...{ recipe: { ...recipe, solvent: 'Acetone–DMF' }, k: 5, filter: { voltageMin: 10 } },
    });
    expect(ofBlend.own).toEqual(own);
    const byDefault = await callOf(client, 'nearest', { recipe: { voltage: 15 } });
    expect(z.looseObject({ neighbors: z.array(z.unknown()) }).parse(byDefault.own).neighbors).toHaveLength(20);
  });

  test('get_record is the response of /records/{recordId}', async () => {
    for (const version of ['latest', 'v1.0.0']) {
      const { own, from } = await callOf(client, 'get_record', { recordId: 17, version });
      expect(own).toEqual((await demo.get(`/public/dataset/${version}/records/17`)).json);
      expect(await page(from.url)).toContain('Record 17');
    }
  });

  test('cite has the metadata of each style, and the papers', async () => {
    for (const style of ['text', 'bibtex', 'ris', 'csl-json']) {
      const { own } = await callOf(client, 'cite', { version: 'v1.0.0', style });
      const metadata = await demo.get(`/public/dataset/v1.0.0/metadata?format=${style}`);
      expect(own).toMatchObject({ style, text: metadata.text, permanentQueryUrl: null });
    }
    const { own } = await callOf(client, 'cite', { filter: FILTER });
    const answer = await demo.get(
      `/public/dataset/papers?${query({ filter: FILTER_TEXT, sort: 'doi', limit: '1000' })}`,
    );
    const { data } = z.object({ data: z.array(z.looseObject({ doi: z.string() })) }).parse(answer.json);
    const { papers } = z.looseObject({ papers: z.array(z.looseObject({ doi: z.string() })) }).parse(own);
    expect(papers.map(({ doi }) => doi)).toEqual(data.map(({ doi }) => doi));
    expect(own).toMatchObject({ returned: papers.length, hasMore: false, next: null });
  });

  test('a bad argument is an error of the tool with the code and message of the interface', async () => {
    const messageAt = async (path: string): Promise<string> => {
      const { code, message } = z
        .looseObject({ code: z.string(), message: z.string() })
        .parse((await demo.get(path)).json);
      return `${code}: ${message}`;
    };
    const errors: [tool: string, args: Record<string, unknown>, expected: string | RegExp][] = [
      ['summarize', { filter: { voltag: 1 } }, await messageAt('/public/dataset/summary?filter={"voltag":1}')],
      [
        'search_records',
        { filter: { voltageMin: 9, voltageMax: 3 } },
        await messageAt('/public/dataset?filter={"voltageMin":9,"voltageMax":3}'),
      ],
      ['search_records', { sort: 'voltag' }, await messageAt('/public/dataset?sort=voltag')],
      ['summarize', { version: 'v9.9.9' }, await messageAt('/public/dataset/v9.9.9/summary')],
      ['nearest', { recipe: {} }, await messageAt('/public/dataset/nearest?recipe={}')],
      [
        'nearest',
        { recipe: { polymer: 'PVDF', voltag: 3 } },
        await messageAt('/public/dataset/nearest?recipe={"polymer":"PVDF","voltag":3}'),
      ],
      ['get_record', { recordId: 99_999 }, await messageAt('/public/dataset/records/99999')],
      ['search_records', { limit: 101 }, /^INVALID_PARAMETER: `limit` must be at most 100, got "101"\.$/],
      ['search_records', { limit: '5' }, /^INVALID_PARAMETER: `limit` must be a number/],
      ['search_records', { limits: 5 }, /^INVALID_PARAMETER: Unknown argument "limits"; nearest: "limit"\.$/],
      ['describe_dataset', { x: 1 }, /^INVALID_PARAMETER: Unknown argument "x"; this tool takes no arguments\.$/],
      ['statistics', { features: ['voltag'] }, /^INVALID_PARAMETER: `features\.0` must be /],
      ['cite', { style: 'mla' }, /^INVALID_PARAMETER: `style` must be text, bibtex, ris or csl-json, got/],
      ['get_record', {}, /^INVALID_PARAMETER: `recordId` must be a number\.$/],
      ['summarize', { filter: null }, /^INVALID_PARAMETER: `filter` must be an object/],
    ];
    for (const [name, args, expected] of errors) {
      const result = await client.callTool({ name, arguments: args });
      expect([name, args, result.isError, result.structuredContent]).toEqual([name, args, true, undefined]);
      if (typeof expected === 'string') expect(textOf(result)).toBe(expected);
      else expect(textOf(result)).toMatch(expected);
    }
  });

  test('an unknown tool is an error of the protocol', async () => {
    const called = client.callTool({ name: 'delete_records', arguments: {} });
    await expect(called).rejects.toBeInstanceOf(ProtocolError);
    await expect(called).rejects.toMatchObject({ code: -32_602 });
  });
});

describe('caveats', () => {
  let client: Client;
  beforeAll(async () => {
    client = await open(demo.url, '2026-07-28');
  });
  afterAll(() => client.close());
  const caveatsOf = async (name: string, args: Record<string, unknown>) => (await callOf(client, name, args)).caveats;

  test('are computed from the response', async () => {
    expect(await caveatsOf('summarize', { filter: { polymer: '=PVDF', fiberDiameterMax: 500 } })).toEqual([
      expect.stringMatching(
        /^94 of 173 matching records repeat another one .* The numbers count each group of them once\.$/,
      ),
      expect.stringMatching(
        /^\d+ of 190 tried records report no fiber diameter .* 32 of these runs were not stable\.$/,
      ),
    ]);
    expect(await caveatsOf('summarize', { filter: { polymer: '=PVA' } })).toContain(
      'None of the 8 papers reports a failed run, so the share of stable runs says little.',
    );
    expect(await caveatsOf('summarize', { filter: { voltageMin: 10_000 } })).toEqual(['No record matches.']);
    expect(await caveatsOf('search_records', { filter: { isFormationStable: 'no' }, limit: 5 })).toEqual([
      '5 of 5 listed records are not stable and report no fiber diameter. A filter by diameter hides them.',
    ]);
    expect(await caveatsOf('statistics', { features: ['solventBoilingPoint', 'voltage'] })).toEqual([
      expect.stringMatching(/^1 of 2 features have values whose unit cannot be converted/),
    ]);
    expect(await caveatsOf('cite', {})).toEqual([expect.stringMatching(/^The latest dataset changes/)]);
    expect(await caveatsOf('cite', { version: 'v1.0.0' })).toEqual([]);
  });
});

describe('a program in curl', () => {
  const rpc = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
    demo.post('/mcp', { jsonrpc: '2.0', id: 1, method, params }, { headers });
  const modern = (method: string, params: object = {}) =>
    rpc(
      method,
      {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/clientInfo': { name: 'curl', version: '8' },
        },
      },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
    );

  test('needs no handshake, session, or Accept header', async () => {
    for (const path of ['/mcp', '/api/mcp']) {
      const answer = await demo.post(path, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
      expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.text).toContain('search_records');
    }
    const answer = await modern('tools/list');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  });

  test('gets one message, and 202 without a body for a notification', async () => {
    const answer = await rpc('tools/list');
    expect(answer.text.match(/^data: /gm) ?? ['json']).toHaveLength(1);
    const note = await demo.post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([note.status, note.text]).toEqual([202, '']);
  });

  test.each<[string, string | Buffer, number, string, Record<string, string>?]>([
    ['bad JSON', '{"jsonrpc":"2.0",', 400, 'INVALID_REQUEST'],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', 400, 'INVALID_REQUEST'],
    ['a text', '"tools/list"', 400, 'INVALID_REQUEST'],
    ['no body', '', 400, 'INVALID_REQUEST'],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{}}', 400, 'INVALID_REQUEST'],
    ['another media type', '{}', 415, 'UNSUPPORTED_MEDIA_TYPE', { 'content-type': 'text/plain' }],
    ['too many bytes', JSON.stringify({ text: 'x'.repeat(MAX_BYTES) }), 413, 'PAYLOAD_TOO_LARGE'],
  ])('%s is refused', async (_, body, status, code, headers = { 'content-type': 'application/json' }) => {
    expectError(await demo.post('/mcp', body, { headers }), status, code);
  });

  test('gets 405 for GET and DELETE', async () => {
    for (const answer of [await demo.get('/mcp'), await demo.delete('/mcp')]) {
      expectError(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
    }
  });

  test('cannot open a stream', async () => {
    for (const answer of [
      await modern('subscriptions/listen', { notifications: { toolsListChanged: true } }),
      await rpc('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    ]) {
      expect(answer.text).toMatch(/"error":\{"code":-32\d{3}/);
      expect(answer.text).not.toContain('"result"');
    }
  });

  test('may send any credential, from a page of any origin', async () => {
    const headers = { authorization: 'Bearer bad', cookie: 'esd=1', origin: 'https://assistant.example' };
    const answer = await rpc('tools/list', {}, headers);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await request(`${demo.url}/mcp`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://assistant.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,mcp-protocol-version',
      },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version');
  });

  test('gets at most 256 KB', async () => {
    const { status, text } = await modern('tools/list');
    expect([status, Buffer.byteLength(text) <= MAX_BYTES]).toEqual([200, true]);
  });
});

test('/llms.txt and the API catalog list the endpoint', async () => {
  const { host } = new URL(demo.url);
  expect((await demo.get('/llms.txt')).text).toContain(`POST ${host}/mcp`);
  const catalog = await request(`${demo.url}/.well-known/api-catalog`);
  expect(catalog.text).toContain(`"${demo.url}/mcp"`);
});

describe('limits', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await leaseStack('limited');
  });
  afterAll(() => stack.stop());

  const call = (name: string, args: object, address: string) =>
    request(`${stack.url}/mcp`, {
      method: 'POST',
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      headers: { 'x-forwarded-for': address },
    });

  test('an analysis counts in its class, and a 429 is the error of every path', async () => {
    /** Sends the allowed number of analyses from a new address, and three more requests, within one window. */
    const exhaust = async () => {
      let voltage = 0.125;
      const summarize = (address: string) => call('summarize', { filter: { voltageMin: (voltage += 1) } }, address);
      for (let host = 1; ; host += 1) {
        const address = `203.0.113.${host}`;
        const startedAt = Date.now();
        const allowed: Answer[] = [];
        while (allowed.length < ANALYSES_PER_MINUTE) allowed.push(await summarize(address));
        const refused = await summarize(address);
        const cited = await call('cite', { filter: { voltageMin: 0.5 } }, address);
        const read = await call('search_records', {}, address);
        // On a busy machine the window may end during the requests.
        if (Date.now() - startedAt < WINDOW_MS) return { allowed, refused, cited, read };
      }
    };
    const { allowed, refused, cited, read } = await exhaust();
    for (const { status, headers } of allowed)
      expect([status, headers.get('ratelimit')]).toEqual([200, expect.stringMatching(/^"analysis";r=\d+/)]);
    expectError(refused, 429, 'RATE_LIMITED', /"analysis"/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expectError(cited, 429, 'RATE_LIMITED', /"analysis"/);
    expect([read.status, read.headers.get('ratelimit')]).toEqual([200, expect.stringMatching(/^"reads";r=\d+/)]);
  });
});

describe('changes of the dataset', () => {
  let stack: TestStack;
  let api: Api;
  let client: Client;
  beforeAll(async () => {
    stack = await leaseStack('moderated');
    api = apiAt(stack.url);
    client = await open(stack.url, '2026-07-28');
  });
  afterAll(async () => {
    await client.close();
    await stack.stop();
  });

  test('cite finds a stored query, and stores none', async () => {
    const { token } = await newAdmin(stack, api);
    const voltage = 17.375;
    const body = { userMetadata: anonymousSubmitter, experimentData: [recordAt(voltage)] };
    const [id = 0] = await publishRecords(api, body, token);
    const filter = { voltageMin: voltage, voltageMax: voltage };
    const queryUrl = z.looseObject({ permanentQueryUrl: z.string().nullable(), text: z.string() });
    const before = await callOf(client, 'cite', { filter });
    expect(queryUrl.parse(before.own).permanentQueryUrl).toBeNull();
    expect(before.caveats).toContainEqual(expect.stringMatching(/^The citation is that of the whole dataset/));
    const made = z
      .looseObject({ url: z.string(), id: z.string() })
      .parse((await api.post('/public/queries', { filter })).json);
    const after = await callOf(client, 'cite', { filter: { voltageMax: voltage, voltageMin: voltage } });
    expect(queryUrl.parse(after.own).permanentQueryUrl).toBe(made.url);
    expect(queryUrl.parse(after.own).text).toBe(
      (await api.get(`/public/queries/${made.id}/metadata?format=text`)).text,
    );
    expect(after.from.url).toBe(`${api.url}/query/${made.id}`);
    expect(
      queryUrl.parse((await callOf(client, 'cite', { filter: { voltageMin: voltage } })).own).permanentQueryUrl,
    ).not.toBe(made.url);
    const withdrawn = { reason: 'Measured wrongly.' };
    expect((await api.post(`/moderation/records/${id}/withdraw`, withdrawn, { bearer: token })).status).toBe(200);
    const gone = await eventually(
      () => client.callTool({ name: 'get_record', arguments: { recordId: id } }),
      ({ isError }) => isError === true,
    );
    expect(textOf(gone)).toMatch(/^RECORD_WITHDRAWN: Record \d+ was withdrawn on .*Measured wrongly\./);
  });

  test('no connection stays open after a response', async () => {
    const { port } = new URL(stack.url);
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'summarize', arguments: {} },
    });
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    const parts: Buffer[] = [];
    for await (const part of socket) parts.push(Buffer.from(part as Uint8Array));
    const text = Buffer.concat(parts).toString();
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toMatch(/\r\nContent-Length: \d+\r\n/i);
    expect(text).not.toMatch(/transfer-encoding/i);
  });

  test('the gateway stops while clients are connected', async () => {
    await client.listTools();
    const started = Date.now();
    await stack.restart('gateway');
    expect(Date.now() - started).toBeLessThan(60_000);
    await eventually(
      () =>
        client.listTools().then(
          ({ tools }) => tools.length,
          () => 0,
        ),
      (count) => count === TOOLS.length,
    );
  });
});
