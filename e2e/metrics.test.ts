import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { DURABLES } from '@esd/events/stream';
import { type LabelValues, type MetricDefinition, METRICS } from '@esd/service/health/metrics-table';
import { CONSUMERS } from '@esd/service/names/consumers';
import { PROCESSES } from '@esd/service/names/services';
import { leaseStack } from '@esd/testing/leased-stack';
import { request } from '@esd/testing/http';
import { recordAt, anonymousSubmitter } from '@esd/testing/records';
import { newAdmin } from './support/admin.ts';
import { apiAt } from './support/api.ts';
import { openApi } from './support/contract.ts';
import { submitRecords, untilPublic } from './support/dataset.ts';
import { eventually } from '@esd/testing/eventually';
import { readMetric, scrape, type Series } from './support/metrics.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
const RANDOM_PATHS = 1_000;
const table: Readonly<Record<string, MetricDefinition>> = METRICS;
const ONLY_WITH_TLS = 'esd_tls_certificate_expiry_timestamp_seconds';

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
let sent = 0;
beforeAll(async () => {
  const counted = await readMetric(stack, 'gateway', 'esd_http_requests_total', {});
  await walk(stack.url);
  sent = (await readMetric(stack, 'gateway', 'esd_http_requests_total', {})) - counted;
});

let requests = 0;
async function send(url: string, method: string, bearer: string): Promise<void> {
  requests += 1;
  const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { body: { no: 'such member' } } : {};
  await request(url, { method, bearer, ...body });
}

/** Requests every path with every method, a bad credential, and bad ids; then unknown paths. */
async function walk(url: string): Promise<void> {
  const { json } = await request(`${url}/openapi.json`);
  requests += 1;
  const paths = Object.keys(openApi.parse(json).paths).map((path) => path.replaceAll(/\{.*?\}/g, 'no-such-id'));
  expect(paths.length).toBeGreaterThan(100);
  const unknown = Array.from(
    { length: RANDOM_PATHS },
    (_, index) => `/${createHash('md5').update(`${index}`).digest('hex')}`,
  );
  const queue = [
    ...paths.flatMap((path) => METHODS.map((method) => ({ path, method }))),
    ...unknown.map((path) => ({ path, method: 'GET' })),
  ];
  const next = async (): Promise<void> => {
    for (let step = queue.shift(); step; step = queue.shift()) await send(url + step.path, step.method, 'not-a-token');
  };
  await Promise.all(Array.from({ length: 8 }, next));
}

function allows(values: LabelValues, value: string): boolean {
  if (values instanceof RegExp) return values.test(value);
  if ('names' in values) return values.names.includes(value) || (values.others?.test(value) ?? false);
  return values.includes(value);
}

/** Returns the differences between a series and the table. */
function faults(process: string, { metric, name, type, labels, value }: Series): string[] {
  const definition = table[metric];
  const series = `${process}: ${name}${JSON.stringify(labels)}`;
  if (!definition) return [`${series} is not in the table`];
  const otherLabels = Object.entries(labels).filter(([label]) => label !== 'le');
  return [
    ...(definition.type === type ? [] : [`${series} is a ${type}`]),
    ...((definition.processes as readonly string[]).includes(process) ? [] : [`${series} is of another process`]),
    ...(Number.isFinite(value) ? [] : [`${series} is ${value}`]),
    ...(otherLabels
      .map(([label]) => label)
      .sort()
      .join() ===
    Object.keys(definition.labels ?? {})
      .sort()
      .join()
      ? []
      : [`${series} has other labels`]),
    ...otherLabels.flatMap(([label, text]) => {
      const values = definition.labels?.[label];
      return values && allows(values, text) ? [] : [`${series}: the value of ${label} is not in the list`];
    }),
  ];
}

describe('after requests for every path with every method, and for 1,000 unknown paths', () => {
  test.each(PROCESSES)('%s has exactly the series of the table', async (process) => {
    // Gauges from the database and from NATS are read within 20 s of a start.
    await eventually(
      async () => missing(process, await scrape(stack, process)),
      (names) => names.length === 0,
    );
    const series = await scrape(stack, process);
    expect(series.filter(({ metric }) => metric.startsWith('nodejs_eventloop_'))).toEqual([]);
    const listed = series.filter(({ metric }) => !/^(process|nodejs)_/.test(metric));
    expect(listed.flatMap((measured) => faults(process, measured))).toEqual([]);
    const sets = listed.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`);
    expect(new Set(sets).size).toBe(sets.length);
    expect(series.length).toBeLessThanOrEqual(process === 'gateway' ? 4_000 : 1_500);
  });

  test('the gateway has counted each request once, and no path of a request', async () => {
    expect(sent).toBe(requests);
    const series = (await scrape(stack, 'gateway')).filter(({ metric }) => metric === 'esd_http_requests_total');
    const { json } = await request(`${stack.url}/openapi.json`);
    const documented = new Set(Object.keys(openApi.parse(json).paths));
    const routes = new Set(series.map(({ labels }) => labels['route'] ?? ''));
    // Web pages are not in the document.
    const undocumented = [...routes].filter((route) => !documented.has(route.replaceAll(/[:*](\w+)/g, '{$1}')));
    expect(undocumented.filter((route) => /[0-9a-f]{32}|no-such-id/.test(route))).toEqual([]);
    const unknown = { route: 'none', method: 'GET', code: '404' };
    expect(await readMetric(stack, 'gateway', 'esd_http_requests_total', unknown)).toBeGreaterThanOrEqual(RANDOM_PATHS);
  });
});

/** Returns the metrics of the table that a process should have and has not. */
function missing(process: string, series: readonly Series[]): string[] {
  const served = new Set(series.map(({ metric }) => metric));
  return Object.entries(table)
    .filter(([, { processes }]) => (processes as readonly string[]).includes(process))
    .map(([name]) => name)
    .filter((name) => !served.has(name) && name !== ONLY_WITH_TLS && !appearsLater(name));
}

/** Whether a metric has series only after something occurred, because a label has no list of values. */
function appearsLater(name: string): boolean {
  const { type, labels = {} } = table[name] ?? { type: 'gauge' };
  return type !== 'gauge' && Object.values(labels).some((values) => values instanceof RegExp);
}

test('two scrapers receive the same figures', async () => {
  const figures = async (): Promise<Series[]> =>
    (await scrape(stack, 'submission-svc')).filter(({ metric }) =>
      /^esd_(outbox|consumer|records|stream|db_size)/.test(metric),
    );
  // The service can measure again between the two.
  const [firstFigures, secondFigures] = await eventually(
    () => Promise.all([figures(), figures()]),
    ([first, second]) => JSON.stringify(first) === JSON.stringify(second),
  );
  expect(firstFigures.length).toBeGreaterThan(10);
  expect(firstFigures).toEqual(secondFigures);
});

test('the public port has no metrics', async () => {
  for (const path of ['/metrics', '/api/metrics']) expect((await request(stack.url + path)).status).toBe(404);
});

test('each durable consumer is in the list of names', () => {
  expect(
    Object.values(DURABLES)
      .map(({ durable }) => durable)
      .sort(),
  ).toEqual([...CONSUMERS]);
});

test('web pages of URLs with unknown parameters take no space in the cache', async () => {
  const api = apiAt(stack.url);
  const { token } = await newAdmin(stack, api);
  const [id = 0] = await submitRecords(api, { userMetadata: anonymousSubmitter, experimentData: [recordAt(12)] });
  expect((await api.post(`/moderation/records/${id}/approve`, {}, { bearer: token })).status).toBe(200);
  await untilPublic(api, [id]);
  const bytesAfter = async (...paths: string[]): Promise<number> => {
    for (const path of paths) {
      const { status } = await request(stack.url + path, { headers: { accept: 'text/html' } });
      expect([path, status]).toEqual([path, 200]);
    }
    return readMetric(stack, 'gateway', 'esd_cache_bytes', { cache: 'html' });
  };
  const pages = ['/explore', '/explore?x=voltage&tab=scatter', '/about', `/record/${id}`, '/docs', '/openapi.json'];
  const before = await bytesAfter();
  const cached = await bytesAfter(...pages);
  expect(cached).toBeGreaterThan(before);
  const unknown = ['/explore?utm=1', '/explore?utm_source=1', '/explore?version=v1', '/explore?tab=scatter&x=voltage'];
  const same = ['/about?utm=1', `/record/${id}?utm=1`, '/docs?q=polymer', '/docs?utm=1', '/openapi.json?&'];
  expect(await bytesAfter(...unknown, ...same)).toBe(cached);
});
