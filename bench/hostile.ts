/**
 * Hostile bodies on every route that takes one: how long the longest step of the event loop of each process is (other requests wait as
 * long), and what the answer weighs.
 *
 *   npm run bench -- hostile [--route /feedback]
 *
 * Prints Markdown, then JSON. What an honest client waits beside attacks of several connections: `npm run bench -- attacks`.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { startStack, type TestStack } from '@esd/testing/stack';
import { formBodies, type HostileBody, jsonBodies, submissionBodies } from './hostile-bodies.ts';
import { type Part, partMarkdown, type Row } from './report.ts';

const PROCESSES = ['gateway', 'identity-svc', 'submission-svc', 'dataset-svc', 'media-svc', 'export-svc'];
const GOAL_MS = 50;
// The event loop monitor looks every 10 ms, which is part of what it tells.
const RESOLUTION_MS = 10;
const LONGEST = /^nodejs_eventloop_lag_max_seconds(?:\{[^}]*\})? (\S+)$/m;
const MEGABYTE = 1024 * 1024;

const { values } = parseArgs({
  options: { route: { type: 'string', default: '' } },
});

const stack = await startStack({ empty: true });
try {
  const bearer = await signIn(stack.url);
  const parts = [await hostileBodies(stack, bearer)];
  for (const part of parts) console.log(partMarkdown(part));
  console.log(JSON.stringify(parts));
} finally {
  await stack.stop();
}

async function signIn(url: string): Promise<string> {
  const who = { email: 'admin@example.org', password: 'correct horse battery staple' };
  await request(`${url}/auth/admin/create`, { method: 'POST', body: { ...who, name: 'Bench' } });
  const login = await request(`${url}/auth/login`, { method: 'POST', body: who });
  return z.object({ token: z.string() }).parse(login.json).token;
}

/** The longest step of each process's event loop since it was asked last, in milliseconds. */
async function longestSteps({ addresses }: TestStack): Promise<Map<string, number>> {
  const steps = PROCESSES.map(async (name): Promise<[string, number]> => {
    const { text } = await request(`${addresses[name]?.['http'] ?? ''}/metrics`);
    return [name, Math.max(0, Number(LONGEST.exec(text)?.[1]) * 1000 - RESOLUTION_MS)];
  });
  return new Map(await Promise.all(steps));
}

interface BodyRoute {
  method: string;
  path: string;
  type: string;
}

/** Every route that takes a body, as the service describes itself. */
async function bodyRoutes(url: string): Promise<BodyRoute[]> {
  const operation = z.object({ requestBody: z.object({ content: z.record(z.string(), z.unknown()) }).optional() });
  const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });
  const { paths } = document.parse((await request(`${url}/openapi.json`)).json);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) =>
      Object.keys(requestBody?.content ?? {}).map((type) => ({ method: method.toUpperCase(), path, type })),
    ),
  );
}

function bodiesFor({ path, type }: BodyRoute): HostileBody[] {
  if (type !== 'application/json') return formBodies();
  if (path.startsWith('/data/')) return [...jsonBodies(10 * MEGABYTE), ...submissionBodies()];
  return jsonBodies(path === '/feedback/submit' ? 7 * MEGABYTE : 100_000);
}

async function hostileBodies(stack: TestStack, bearer: string): Promise<Part> {
  const rows: Row[] = [];
  const routes = (await bodyRoutes(stack.url)).filter(({ path }) => path.includes(values.route));
  for (const route of routes) {
    for (const { what, contentType, body } of bodiesFor(route)) {
      const url = stack.url + route.path.replaceAll(/\{\w+\}/g, '1');
      await longestSteps(stack);
      const headers = { 'content-type': contentType };
      const answer = await request(url, { method: route.method, headers, body, bearer, timeoutMs: 120_000 });
      const [[slowest, milliseconds] = ['none', 0]] = [...(await longestSteps(stack))].sort(([, a], [, b]) => b - a);
      rows.push({
        route: `${route.method} ${route.path}`,
        body: what,
        'body KB': Math.round(body.length / 1024),
        status: answer.status,
        'answer KB': Math.round(Buffer.byteLength(answer.text) / 1024),
        'longest step ms': Math.round(milliseconds),
        of: slowest,
      });
    }
  }
  rows.sort((a, b) => Number(b['longest step ms']) - Number(a['longest step ms']));
  return {
    title: 'Hostile bodies',
    notes: [
      `${rows.length} bodies on ${routes.length} routes, one after the other, by an administrator; the longest step of any process first.`,
      'What the machine does beside makes steps longer: a number that comes again in a second run is that of the code.',
    ],
    rows: rows.slice(0, 40),
    targets: [
      { what: 'longest step, ms', measured: Number(rows[0]?.['longest step ms'] ?? 0), atMost: GOAL_MS },
      {
        what: 'largest answer, KB',
        measured: Math.max(0, ...rows.map((row) => Number(row['answer KB']))),
        atMost: 977,
      },
    ],
  };
}
