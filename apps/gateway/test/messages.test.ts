import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Request } from 'express';
import { z } from 'zod';
import { readDatasetFacts } from '@esd/dataset-client/dataset-facts';
import { processSettings } from '@esd/service/config';
import { ServiceError } from '@esd/service/errors';
import { watchReadiness } from '@esd/service/health/readiness';
import { demoDatasetFile } from '@esd/testing/demo';
import { messageFaults } from '@esd/testing/language-rules';
import { pino } from 'pino';
import { settings } from '../src/config.ts';
import { datasetStates } from '../src/dataset/dataset-states.ts';
import { readParameters, readQuery } from '../src/http/query.ts';
import { rateLimits } from '../src/http/limits/rate-limits.ts';
import { openPageCache } from '../src/cache/page-cache.ts';
import { openApiDocument, isDescribed } from '../src/openapi/openapi-document.ts';
import { allRoutes } from '../src/routes/all-routes.ts';
import { closeUpstream, openUpstream } from '../src/upstream/upstream.ts';
import { closeAll, exchange, freePort, gatewayConfig, get, startGateway } from './upstream-servers.ts';

const config = gatewayConfig({ ports: [1], env: { ESD_SECURITY_CONTACT: 'mailto:security@example.org' } });
const upstream = openUpstream(config, undefined);
const readiness = watchReadiness([], pino({ level: 'silent' }));
const states = datasetStates(upstream.dataset);
const routes = allRoutes({
  config,
  upstream,
  readiness,
  web: { build: '', render: () => '', titlesOf: () => [], assets: new Map() },
  states,
  cache: openPageCache(1_000_000),
  limits: rateLimits(config),
  facts: readDatasetFacts(demoDatasetFile),
  operator: { about: [], privacy: [] },
});

afterAll(async () => {
  readiness.stop();
  closeUpstream(upstream);
  await closeAll();
});

/** Returns the messages of a thrown error and of its problems. */
async function messagesOf(run: () => unknown): Promise<string[]> {
  try {
    await run();
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [error.message, ...(error.details.errors ?? []).map(({ message }) => message)];
  }
}

/** Returns each message that breaks a rule, with its faults. */
function faultsOf(messages: Iterable<string>): [message: string, ...faults: string[]][] {
  return [...new Set(messages)].flatMap((message) => {
    const faults = messageFaults(message);
    return faults.length > 0 ? [[message, ...faults] as [string, ...string[]]] : [];
  });
}

const WRONG_TEXTS = ['', 'x', '-1', '1.5', '\0', 'é'.repeat(2_000), '"', '2026-13-01T00:00:00Z', '{}'];

test('messages about query parameters and paths are written in plain English', async () => {
  const messages = [];
  for (const { query, parameters } of routes) {
    for (const name of Object.keys(query.shape)) {
      for (const text of WRONG_TEXTS) {
        messages.push(...(await messagesOf(() => readQuery(`/?${name}=${encodeURIComponent(text)}`, query))));
      }
      messages.push(...(await messagesOf(() => readQuery(`/?${name}=1&${name}=1`, query))));
      messages.push(...(await messagesOf(() => readQuery(`/?${name}x=1`, query))));
    }
    messages.push(...(await messagesOf(() => readQuery('/?%zz', query))));
    messages.push(...(await messagesOf(() => readQuery('/?xyzzy=1', query))));
    messages.push(...(await messagesOf(() => readQuery('/', query))));
    for (const text of WRONG_TEXTS) {
      const all = Object.fromEntries(Object.keys(parameters.shape).map((name) => [name, text]));
      messages.push(...(await messagesOf(() => readParameters(all, parameters))));
    }
  }
  expect(new Set(messages).size).toBeGreaterThan(50);
  expect(faultsOf(messages)).toEqual([]);
});

function requestWith(body: string, headers: Record<string, string> = {}): Request {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, {
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...headers,
  });
  request.push(Buffer.from(body));
  request.push(null);
  // A body reader uses only the headers and the stream.
  return request as Request;
}

const WRONG_VALUES = [
  null,
  7,
  1.5,
  -1,
  'x',
  '',
  'x'.repeat(20_000),
  '\0',
  true,
  [],
  {},
  [7],
  [[]],
  [1, 1],
  Array(1_001).fill('x'),
];

test('messages about bodies are written in plain English', async () => {
  const messages: string[] = [];
  for (const { body } of routes) {
    if (!body) continue;
    const shape = body.schema instanceof z.ZodObject ? Object.keys(body.schema.shape) : [];
    const bodies = [
      ...WRONG_VALUES.map((value) => JSON.stringify(value)),
      ...shape.flatMap((name) => WRONG_VALUES.map((value) => JSON.stringify({ [name]: value }))),
      JSON.stringify({ recordIds: [1, 1], revisions: [1], reason: 'x', origin: 'x' }),
      JSON.stringify(Object.fromEntries(shape.map((name) => [`${name}x`, 1]))),
      ...['', '{', '{}x', 'x', '['.repeat(30), '[' + '1,'.repeat(600_000)],
    ];
    for (const text of bodies) messages.push(...(await messagesOf(() => body.read(requestWith(text)))));
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-encoding': 'gzip' },
      { 'content-length': String(1e9) },
      { 'content-type': 'multipart/form-data; boundary=x', 'content-length': String(1e9) },
      { 'content-length': '0' },
    ]) {
      messages.push(...(await messagesOf(() => body.read(requestWith('{}', headers)))));
    }
  }
  expect(new Set(messages).size).toBeGreaterThan(50);
  expect(faultsOf(messages)).toEqual([]);
});

describe('a gateway', () => {
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  beforeAll(async () => {
    gateway = await startGateway({ ports: [await freePort()], env: { ESD_RATE_LIMITS: 'on', ESD_LIMIT_EXPORTS: '1' } });
  });

  test('describes the problem of a request in plain English', async () => {
    const { url, port } = gateway;
    const answers = [
      await get(`${url}/nothing`),
      await get(`${url}/health`, { method: 'PUT' }),
      await get(`${url}/data/statuses`, { method: 'DELETE' }),
      await get(`${url}/%ff`),
      await get(`${url}/%00`),
      await get(`${url}/auth/me`),
      await get(`${url}/auth/me`, { headers: { authorization: 'Basic eDp5' } }),
      await get(`${url}/auth/me`, { headers: { authorization: 'Bearer x' } }),
      await get(`${url}/ready`),
      await get(`${url}/public/dataset?record=1`),
      await get(`${url}/public/dataset`),
      await get(`${url}/data/template.xlsx`),
      await get(`${url}/data/template.xlsx`),
    ].map(({ text }) => text);
    const raw = ['nothing\r\n\r\n', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`];
    for (const text of raw) answers.push((await exchange(port, text)).split('\r\n\r\n')[1] ?? '');
    const messages = answers.map((text) => z.object({ message: z.string() }).parse(JSON.parse(text)).message);
    expect(messages).toContain('PUT is not allowed here; use GET, HEAD or OPTIONS.');
    expect(messages).toContain('`record` requires `explain=true`.');
    expect(faultsOf(messages)).toEqual([]);
  });
});

/** Returns the texts of the document with their paths. A summary is a title, without a period. */
function textsOf(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]): [string, string][] => {
    if (typeof member !== 'string') return name === 'example' ? [] : textsOf(member, `${path}/${name}`);
    if (name === 'summary') return [[path, `${member}.`]];
    // The record schemas come from the field catalog; an error response lists codes, not text.
    const isText =
      name === 'description' && !path.startsWith('/components/schemas/') && !/\/responses\/[45]/.test(path);
    return isText ? [[path, member]] : [];
  });
}

test('the OpenAPI document is written in plain English', () => {
  const texts = textsOf(openApiDocument(routes.filter(isDescribed)));
  expect(texts.length).toBeGreaterThan(300);
  const faults = texts.flatMap(([path, text]) =>
    messageFaults(text.replaceAll(/\s+/g, ' ')).map((fault) => `${path}: ${text} ${fault}`),
  );
  expect(faults).toEqual([]);
});

test('the settings are described in plain English', () => {
  const own = Object.entries(settings).filter(([name]) => !Object.hasOwn(processSettings, name));
  const faults = own.flatMap(([name, setting]) =>
    messageFaults(setting.description ?? '')
      // Operators know the names of the processes.
      .filter((fault) => !/-svc|gRPC/.test(fault))
      .map((fault) => `${name}: ${fault}`),
  );
  expect(faults).toEqual([]);
});
