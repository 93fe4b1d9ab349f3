import { once } from 'node:events';
import { IncomingMessage, request as httpRequest } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { scanJson } from '../../../src/http/body/json-scan.ts';
import { closeAll, freePort, get, post, resolvedAdmin, startUpstream, startGateway } from '../../upstream-servers.ts';

afterEach(closeAll);

const MAX_ANSWER_BYTES = 1_000_000;
const refusal = z.object({
  code: z.string(),
  message: z.string(),
  errors: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })).optional(),
  errorCount: z.number().optional(),
});

/** Returns a JSON object with unknown members, named by `nameOf`. */
function wideObject(members: number, nameOf: (index: number) => string): string {
  return `{${Array.from({ length: members }, (_, index) => `${JSON.stringify(nameOf(index))}:0`).join(',')}}`;
}

const startAlone = async () => startGateway({ ports: [await freePort()] });

describe('a body with very many members', () => {
  test('is rejected with a short response before it is parsed', async () => {
    const { url } = await startAlone();
    const answer = await post(
      `${url}/feedback/submit`,
      wideObject(600_000, (index) => `m${index.toString(36)}`),
    );
    const { code, message, errors } = refusal.parse(answer.json());
    expect([answer.status, code, errors]).toEqual([400, 'INVALID_REQUEST', undefined]);
    expect(message).toMatch(/10,000|10000/);
    expect(answer.text.length).toBeLessThan(1_000);
  });

  test('gets at most 1,000 problems, 20 of them with a suggestion, and their total number', async () => {
    const { url } = await startAlone();
    const answer = await post(
      `${url}/feedback/submit`,
      wideObject(9_000, (index) => `messag${index}`),
    );
    const { code, errors = [], errorCount } = refusal.parse(answer.json());
    // The required members are missing too.
    expect([answer.status, code, errors.length, errorCount]).toEqual([400, 'VALIDATION_FAILED', 1_000, 9_004]);
    expect(errors.filter(({ message }) => message.includes('nearest:')).length).toBeLessThanOrEqual(20);
  });

  test('gets the nearest known member if there are few problems', async () => {
    const { url } = await startAlone();
    const { errors = [] } = refusal.parse(
      (await post(`${url}/feedback/submit`, '{"mesage":"x","subjekt":"x"}')).json(),
    );
    expect(errors.filter(({ message }) => message.includes('nearest:'))).toHaveLength(2);
  });

  test('gets a response of at most 1 MB on every route, regardless of the member names', async () => {
    const { port } = await startUpstream({
      identity: { resolveBearer: (request) => Promise.resolve(resolvedAdmin(request)) },
    });
    const { url } = await startGateway({ ports: [port] });
    const document = z
      .object({ paths: z.record(z.string(), z.record(z.string(), z.object({ requestBody: z.unknown().optional() }))) })
      .parse((await get(`${url}/openapi.json`)).json());
    const names: ((index: number) => string)[] = [
      (index) => `${'\u0001'.repeat(90)}${index}`,
      (index) => `${index}${'\u0001'.repeat(90)}`,
    ];
    let checked = 0;
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        if (!JSON.stringify(requestBody ?? {}).includes('application/json')) continue;
        for (const nameOf of names) {
          const answer = await get(url + path.replaceAll(/\{\w+\}/g, '1'), {
            method: method.toUpperCase(),
            headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
            body: wideObject(180, nameOf),
          });
          expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
          checked += 1;
        }
      }
    }
    expect(checked).toBeGreaterThan(40);
    const largest = await post(
      `${url}/feedback/submit`,
      wideObject(9_000, (index) => `${index}${'\u0001'.repeat(90)}`),
    );
    expect([largest.status, refusal.parse(largest.json()).errorCount]).toEqual([400, 9_004]);
    expect(Buffer.byteLength(largest.text)).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
  });
});

test('other requests are answered while a large body is scanned', async () => {
  const { url } = await startAlone();
  let scanned = false;
  const scan = scanJson(Buffer.alloc(400 * 1024 * 1024, ' '), { levels: 20, members: 10 }).then((result) => {
    scanned = true;
    return result;
  });
  expect((await get(`${url}/health`)).status).toBe(200);
  expect(scanned).toBe(false);
  expect(await scan).toBe('fits');
});

test('a body that arrives byte by byte takes no more memory than its size', async () => {
  const { promise: received, resolve } = Promise.withResolvers<Buffer>();
  const { port } = await startUpstream({
    submission: {
      submit: ({ submissionJson }) => {
        resolve(submissionJson);
        return Promise.reject(new Error('the response is not read'));
      },
    },
  });
  const { url } = await startGateway({ ports: [port] });
  // A minute must suffice on a busy machine: the gateway waits no longer for a body.
  const bytes = Buffer.from(`{"a":"${'é'.repeat(5_000)}"}`);
  const body = new ReadableStream({
    start: (stream) => {
      for (const byte of bytes) stream.enqueue(Uint8Array.of(byte));
      stream.close();
    },
  });
  const headers = { 'content-type': 'application/json' };
  const streamed = { method: 'POST', headers, body, duplex: 'half' } satisfies RequestInit & { duplex: 'half' };
  await get(`${url}/data/submit`, streamed);
  expect(await received).toEqual(bytes);
});

test('a client that expects 100 Continue receives it only if its body is read', async () => {
  const { url } = await startAlone();
  const send = async (path: string, headers: Record<string, string>, body: string) => {
    const client = httpRequest(url + path, { method: 'POST', headers: { ...headers, Expect: '100-continue' } });
    let continues = 0;
    client.on('continue', () => {
      continues += 1;
      client.end(body);
    });
    client.flushHeaders();
    const [response] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(client, 'response'));
    response.resume();
    client.destroy();
    return [response.statusCode, continues, response.headers.connection];
  };
  const json = { 'Content-Type': 'application/json' };
  const length = (bytes: number) => ({ 'Content-Length': String(bytes) });
  const form = { 'Content-Type': 'multipart/form-data; boundary=x' };
  expect(await send('/data/submit', { ...json, ...length(21_000_000) }, '')).toEqual([413, 0, 'close']);
  expect(await send('/feedback/submit', { 'Content-Type': 'text/plain', ...length(2) }, '')).toEqual([415, 0, 'close']);
  expect(await send('/images/upload', { ...form, ...length(80_000_000) }, '')).toEqual([413, 0, 'close']);
  expect(await send('/nowhere', { ...json, ...length(2) }, '')).toEqual([404, 0, 'close']);
  expect(await send('/feedback/submit', { ...json, ...length(2) }, '{}')).toEqual([400, 1, 'keep-alive']);
});
