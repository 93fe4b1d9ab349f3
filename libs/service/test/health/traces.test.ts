import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from '@jest/globals';
import { processSettings, readConfig } from '../../src/config.ts';
import { errorType, startSpan } from '../../src/health/traces.ts';
import { ServiceError } from '../../src/errors.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function startCollector(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // Safe cast: it listens on a port.
  return `http://127.0.0.1:${port}`;
}

interface Line {
  msg: string;
  trace_id?: string;
  span_id?: string;
  modules?: string[];
  counts?: number[];
}

/** Runs a service whose start runs `code`; returns its log and the milliseconds from the signal to the exit. */
async function run(
  endpoint: string,
  code: string,
  signalAt: string,
  ratio: number | 'undefined' = 1,
): Promise<{ lines: Line[]; stopMs: number }> {
  const program = `
    import { registerHooks } from 'node:module';
    const modules = [];
    registerHooks({ load: (url, context, next) => { modules.push(url); return next(url, context); } });
    const { runService } = await import('./src/run-service.ts');
    const { activeTraceparent, startSpan } = await import('./src/health/traces.ts');
    setInterval(() => undefined, 1_000);
    const request = (contexts = []) => startSpan({ kind: 'SERVER', name: 'GET', attributes: () => ({}), contexts });
    process.exit(await runService({
      name: 'test',
      loadConfig: () => ({
        ESD_LOG_LEVEL: 'info',
        OTEL_EXPORTER_OTLP_ENDPOINT: ${JSON.stringify(endpoint)},
        OTEL_TRACES_SAMPLER_ARG: ${ratio},
      }),
      start: async (config, log) => {
        ${code}
        return { stop: async () => undefined, failed: new Promise(() => undefined) };
      },
    }, []));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: join(import.meta.dirname, '..', '..'),
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stops.push(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const lines: Line[] = [];
  let signaledAt = 0;
  for await (const text of createInterface(child.stdout)) {
    const line = JSON.parse(text) as Line; // Safe cast: the program above writes it.
    lines.push(line);
    if (line.msg === signalAt && signaledAt === 0) {
      signaledAt = performance.now();
      child.kill('SIGTERM');
    }
  }
  await exited;
  return { lines, stopMs: performance.now() - signaledAt };
}

const DROPPED = 'traces are incomplete; check the collector at OTEL_EXPORTER_OTLP_ENDPOINT';

const FLOOD = `
  for (let index = 0; index < 4_000; index += 1) request().end();
  setInterval(() => { for (let index = 0; index < 600; index += 1) request().end(); }, 200);`;

describe.each<[string, RequestListener]>([
  ['returns 500', (_, response) => void response.writeHead(500).end('no')],
  ['closes the connection', (request) => void request.socket.destroy()],
  ['does not respond', () => undefined],
])('a collector that %s', (_how, answer) => {
  test('causes one log line, and does not delay the stop until its timeout', async () => {
    const { lines, stopMs } = await run(await startCollector(answer), FLOOD, DROPPED);
    expect(lines.filter(({ msg }) => msg === DROPPED)).toHaveLength(1);
    expect(lines.at(-1)?.msg).toBe('stopped');
    expect(stopMs).toBeLessThan(8_000);
  });
});

test('a stop sends the waiting spans, with the resource of the process and the ids of the log line', async () => {
  const bodies: string[] = [];
  const url = await startCollector((request, response) => {
    void request.toArray().then((chunks) => {
      bodies.push(Buffer.concat(chunks).toString());
      response.end('{}');
    });
  });
  const code = `
    const span = request();
    span.run(() => log.info('inside'));
    log.info('outside');
    span.end({}, 'E1');`;
  const { lines } = await run(url, code, 'started');
  const inside = lines.find(({ msg }) => msg === 'inside');
  expect(inside).toMatchObject({ trace_id: expect.stringMatching(/^[\da-f]{32}$/) });
  expect(lines.find(({ msg }) => msg === 'outside')).not.toHaveProperty('trace_id');
  expect(JSON.parse(bodies.join(''))).toMatchObject({
    resourceSpans: [
      {
        resource: { attributes: expect.arrayContaining([{ key: 'service.name', value: { stringValue: 'test' } }]) },
        scopeSpans: [{ spans: [{ traceId: inside?.trace_id, spanId: inside?.span_id, status: { code: 2 } }] }],
      },
    ],
  });
});

test('a process without an endpoint does not load the SDK, and its spans do nothing', async () => {
  const code = `
    request().run(() => log.info({ active: activeTraceparent() ?? null }, 'inside'));
    log.info({ modules: modules.filter((url) => url.includes('@opentelemetry')) }, 'loaded');`;
  const { lines } = await run('', code, 'started');
  const modules = lines.find(({ msg }) => msg === 'loaded')?.modules ?? [];
  expect(modules.length).toBeGreaterThan(0);
  expect(modules.filter((url) => !url.includes('@opentelemetry/api/'))).toEqual([]);
  const inside = lines.find(({ msg }) => msg === 'inside');
  expect(inside).toMatchObject({ active: null });
  expect(inside).not.toHaveProperty('trace_id');
  expect(startSpan({ kind: 'SERVER', name: 'GET', attributes: () => ({}), contexts: [] }).traceparent).toBeUndefined();
});

const COUNT = `
  const of = (contexts) => Array.from({ length: 2_000 }, () => request(contexts).traceparent).filter(Boolean).length;
  const id = '0'.repeat(31) + '1-' + 'b'.repeat(16);
  log.info({ counts: [of([]), of(['00-' + id + '-01']), of(['00-' + id + '-00'])] }, 'counted');`;

test('the gateway samples its share of the requests, whatever the caller sends', async () => {
  const url = await startCollector((_request, response) => void response.end('{}'));
  const { lines } = await run(url, COUNT, 'started', 0.1);
  const counts = lines.find(({ msg }) => msg === 'counted')?.counts ?? [];
  expect(counts).toHaveLength(3);
  for (const count of counts) {
    expect(count).toBeGreaterThan(100);
    expect(count).toBeLessThan(300);
  }
});

test('every other process follows its parent', async () => {
  const url = await startCollector((_request, response) => void response.end('{}'));
  const { lines } = await run(url, COUNT, 'started', 'undefined');
  expect(lines.find(({ msg }) => msg === 'counted')?.counts).toEqual([0, 2_000, 0]);
});

test('an error of the caller is no error of the service', () => {
  expect(errorType(new ServiceError('RECORD_NOT_FOUND', 'no'))).toBeUndefined();
  expect(errorType(new ServiceError('UNAVAILABLE', 'no'))).toBe('UNAVAILABLE');
  expect(errorType(Object.assign(new Error('no'), { code: '23505' }))).toBe('23505');
  expect(errorType(new TypeError('no'))).toBe('TypeError');
  expect(errorType('no')).toBe('string');
});

test('settings for the collector that are invalid are named, without their values', () => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS } = processSettings;
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS };
  const read = (env: NodeJS.ProcessEnv) => () => readConfig(settings, env);
  expect(read({})()).toEqual({ OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_EXPORTER_OTLP_HEADERS: '' });
  for (const value of ['collector', 'collector:4318', 'ftp://collector', '//collector']) {
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: value })).toThrow(
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an http:// or https:// URL, or empty for no traces',
    );
  }
  expect(read({ OTEL_EXPORTER_OTLP_HEADERS: 'authorization' })).toThrow(
    'OTEL_EXPORTER_OTLP_HEADERS must be name=value,name=value',
  );
});
