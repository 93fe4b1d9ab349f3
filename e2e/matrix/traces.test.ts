import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { smallRecord, smallSubmission } from '@esd/testing/records';
import { startStack, type TestStack } from '@esd/testing/stack';
import { type Api, apiAt } from '../support/api.ts';
import { createAdmin } from '../support/admin.ts';
import { submitRecords, untilTotal } from '../support/dataset.ts';
import { eventually } from '@esd/testing/eventually';
import { startGateway } from '../support/extra-gateway.ts';
import { uploadImage } from '../support/images.ts';
import { submission } from '../support/shapes.ts';
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from '../support/trace-receiver.ts';
import { whileAway } from '../support/while-away.ts';

const kinds = { SERVER: 2, CLIENT: 3, PRODUCER: 4, CONSUMER: 5 } as const;
const ERROR = 2;
const clientAddress = '203.0.113.77';
const approved = 'esd.record.approved.v1';

let receiver: TraceReceiver;
let stack: TestStack;
let api: Api;
let token: string;
let password: string;
let total = 0;
beforeAll(async () => {
  receiver = await startTraceReceiver();
  stack = await startStack({
    empty: true,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=zqcollectorzq',
      OTEL_TRACES_SAMPLER_ARG: '1',
      ESD_TRUSTED_PROXIES: '1',
    },
  });
  api = apiAt(stack.url);
  const admin = await createAdmin(api);
  ({ token } = admin);
  ({ password } = admin.who);
});
afterAll(async () => {
  await stack.stop();
  await receiver.close();
});

const callerSpanId = 'b'.repeat(16);

/** Returns the headers of a caller whose own trace is not recorded. */
function newTrace(): { traceId: string; headers: Record<string, string> } {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, headers: { traceparent: `00-${traceId}-${callerSpanId}-00`, 'x-forwarded-for': clientAddress } };
}

type Step = [service: string, kind: keyof typeof kinds, name: string];

/** Waits until the trace has spans that are each the parent of the next one, and returns them. */
async function path(traceId: string, steps: readonly Step[]): Promise<ReceivedSpan[]> {
  const extend = (parentSpanId: string, [step, ...others]: readonly Step[]): ReceivedSpan[] | undefined => {
    if (!step) return [];
    const [service, kind, name] = step;
    for (const span of receiver.spans) {
      if (span.traceId !== traceId || span.parentSpanId !== parentSpanId || span.name !== name) continue;
      if (span.kind !== kinds[kind] || span.resource['service.name'] !== service) continue;
      const rest = extend(span.spanId, others);
      if (rest) return [span, ...rest];
    }
    return undefined;
  };
  const found = await eventually(
    () => Promise.resolve(extend(callerSpanId, steps)),
    (spans) => spans !== undefined,
  );
  return found ?? [];
}

const submitName = 'esd.submission.v1.SubmissionService/Submit';
const approveName = 'esd.submission.v1.ModerationService/ApproveRecords';
const approveRoute = 'POST /moderation/records/:id/approve';

const submitSteps: Step[] = [
  ['gateway', 'SERVER', 'POST /data/submit'],
  ['gateway', 'CLIENT', submitName],
  ['submission-svc', 'SERVER', submitName],
];
const publishSteps: Step[] = [
  ['gateway', 'SERVER', approveRoute],
  ['gateway', 'CLIENT', approveName],
  ['submission-svc', 'SERVER', approveName],
  ['submission-svc', 'PRODUCER', `send ${approved}`],
  ['dataset-svc', 'CONSUMER', `process ${approved}`],
  ['dataset-svc', 'CLIENT', 'COMMIT'],
];

const submit = async (headers: Record<string, string>): Promise<number> => {
  const answer = await api.post('/data/submit', smallSubmission(), { bearer: token, headers });
  expect(answer.status).toBe(201);
  return submission.parse(answer.json).records[0]?.recordId ?? 0;
};
const approve = async (id: number, headers: Record<string, string> = {}): Promise<void> => {
  const answer = await api.post(`/moderation/records/${id}/approve`, '', { bearer: token, headers });
  expect(answer.status).toBe(200);
  total += 1;
};

test('one trace leads from the submission through the approval to the commit in dataset-svc', async () => {
  const { traceId, headers } = newTrace();
  const id = await submit(headers);
  await approve(id, headers);
  await untilTotal(api, total);
  const [request, call, served, insert] = await path(traceId, [...submitSteps, ['submission-svc', 'CLIENT', 'WITH']]);
  expect(request?.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/data/submit',
    'http.response.status_code': 201,
    'url.path': '/data/submit',
    'esd.request_id': expect.stringMatching(/^[\da-f-]{36}$/),
  });
  const rpc = {
    'rpc.system.name': 'grpc',
    'rpc.method': submitName,
    'rpc.response.status_code': 'OK',
    'server.address': '127.0.0.1',
  };
  expect(call?.attributes).toEqual(rpc);
  expect(served?.attributes).toEqual({ ...rpc, 'server.address': expect.any(String) });
  expect(insert?.attributes).toMatchObject({
    'db.system.name': 'postgresql',
    'db.namespace': 'esd_submission',
    'db.query.text': expect.stringMatching(/^with [^]*insert into submission [^]*\$1/),
  });
  const steps = await path(traceId, publishSteps);
  const messaging = { 'messaging.system': 'nats', 'messaging.destination.name': approved };
  const [sent, processed] = steps.slice(3);
  expect(sent?.attributes).toMatchObject({ ...messaging, 'messaging.operation.type': 'send' });
  expect(processed?.attributes).toEqual({
    ...messaging,
    'messaging.operation.type': 'process',
    'messaging.message.id': sent?.attributes['messaging.message.id'],
    'messaging.consumer.group.name': 'dataset-svc-record-approved',
    'messaging.batch.message_count': 1,
  });
  for (const { status } of steps) expect(status.code).not.toBe(ERROR);
  expect(request?.resource).toEqual({
    'service.name': 'gateway',
    'service.version': expect.any(String),
    'service.instance.id': expect.stringMatching(/^.+:\d+$/),
  });
});

test('the trace continues after NATS was unavailable and the relay was killed', async () => {
  const traces = await Promise.all(
    [newTrace(), newTrace(), newTrace()].map(async (one) => ({ ...one, id: await submit(one.headers) })),
  );
  await whileAway(stack, 'gone', ['nats'], async () => {
    for (const { id, headers } of traces) await approve(id, headers);
    await stack.kill('submission-svc');
    await stack.start('submission-svc');
  });
  await untilTotal(api, total);
  for (const { traceId } of traces) {
    // The killed process took the span of its call with it, but the outbox stored the context.
    const sent = await eventually(
      () =>
        Promise.resolve(
          receiver.spans.find(
            (span) => span.traceId === traceId && span.name === `send ${approved}` && span.status.code !== ERROR,
          ),
        ),
      (span) => span !== undefined,
    );
    // A batch is a child of its first event's context and links to the others.
    await eventually(
      () =>
        Promise.resolve(
          receiver.spans.filter(
            ({ name, resource, parentSpanId, links }) =>
              name === `process ${approved}` &&
              resource['service.name'] === 'dataset-svc' &&
              [parentSpanId, ...links.map(({ spanId }) => spanId)].includes(sent?.spanId),
          ).length,
        ),
      (count) => count === 1,
    );
  }
});

test('a page served from the cache reads no records; a download and an upload have spans in the called service', async () => {
  const cached = newTrace();
  const url = '/public/dataset?limit=7';
  expect((await api.get(url)).status).toBe(200);
  expect((await api.get(url, { headers: cached.headers })).status).toBe(200);
  await path(cached.traceId, [['gateway', 'SERVER', 'GET /public/dataset']]);
  const exported = newTrace();
  expect((await api.get('/public/dataset/export?format=csv', { headers: exported.headers })).status).toBe(200);
  const route = String.raw`\/public\/dataset\/export`;
  const [, , served] = await path(exported.traceId, [
    ['gateway', 'SERVER', 'GET /public/dataset/export'],
    ['gateway', 'CLIENT', 'GET'],
    ['export-svc', 'SERVER', `GET ${route}`],
    ['export-svc', 'CLIENT', 'esd.dataset.v1.DatasetService/ScanRecords'],
    ['dataset-svc', 'SERVER', 'esd.dataset.v1.DatasetService/ScanRecords'],
  ]);
  expect(served?.attributes).toMatchObject({ 'http.route': route, 'http.response.status_code': 200 });
  // The gateway requests the newest dataset revision again after 25 ms, also for a cached page.
  const others = receiver.spans.filter(({ traceId, name }) => traceId === cached.traceId && !name.endsWith('/GetHead'));
  expect(others).toHaveLength(1);
});

test('a 4xx is no error, and a 503 is one', async () => {
  const missing = newTrace();
  expect((await api.get('/public/dataset/records/999999', { headers: missing.headers })).status).toBe(404);
  const unavailable = newTrace();
  const downloaded = newTrace();
  await whileAway(stack, 'gone', ['submission-svc', 'media-svc'], async () => {
    expect((await api.get('/contributors/list', { headers: unavailable.headers })).status).toBe(503);
    const image = '/images/0198c4a0-0000-7000-8000-000000000000/content';
    expect((await api.get(image, { headers: downloaded.headers })).status).toBe(503);
  });
  const [found] = await path(missing.traceId, [['gateway', 'SERVER', 'GET /public/dataset/records/:recordId']]);
  expect(found).toMatchObject({ status: { code: 0 }, attributes: { 'http.response.status_code': 404 } });
  const [failed, call] = await path(unavailable.traceId, [
    ['gateway', 'SERVER', 'GET /contributors/list'],
    ['gateway', 'CLIENT', 'esd.submission.v1.ContributorsService/ListContributors'],
  ]);
  expect(failed).toMatchObject({ status: { code: ERROR }, attributes: { 'error.type': '503' } });
  expect(call).toMatchObject({
    status: { code: ERROR },
    attributes: { 'error.type': 'UNAVAILABLE', 'rpc.response.status_code': 'UNAVAILABLE' },
  });
  const [, attempt] = await path(downloaded.traceId, [
    ['gateway', 'SERVER', 'GET /images/:imageId/content'],
    ['gateway', 'CLIENT', 'GET'],
  ]);
  expect(attempt).toMatchObject({ status: { code: ERROR }, attributes: { 'error.type': 'ECONNREFUSED' } });
});

test('the gateway ignores the flag of the caller, and an invalid context starts a new trace', async () => {
  const never = await startGateway(stack, { OTEL_TRACES_SAMPLER_ARG: '0' });
  const forced = newTrace();
  const sampled = { traceparent: forced.headers['traceparent']?.replace(/00$/, '01') ?? '' };
  try {
    for (const path of ['/public/dataset', '/contributors']) {
      expect((await request(`${never.url}${path}`, { headers: sampled })).status).toBe(200);
    }
  } finally {
    await never.stop();
  }
  const invalid = [
    'x',
    `00-${'0'.repeat(32)}-${callerSpanId}-01`,
    `ff-${forced.traceId}-${callerSpanId}-01`,
    `00-${forced.traceId}-${callerSpanId}-01-${'a'.repeat(10_000)}`,
  ];
  for (const [index, traceparent] of invalid.entries()) {
    const path = `/invalid-context-${index}`;
    expect((await api.get(path, { headers: { traceparent } })).status).toBe(404);
    const span = await eventually(
      () => Promise.resolve(receiver.spans.find(({ attributes }) => attributes['url.path'] === path)),
      (found) => found !== undefined,
    );
    expect(span).toMatchObject({ name: 'GET' });
    expect(span?.parentSpanId ?? '').toBe('');
  }
  expect(receiver.spans.filter(({ traceId }) => traceId === forced.traceId)).toEqual([]);
});

test('no span contains a query string, a header, a body, an address, or a parameter', async () => {
  const { traceId, headers } = newTrace();
  const secret = (what: string): string => `zq${what}zq${randomBytes(4).toString('hex')}`;
  const used = {
    query: secret('query'),
    header: secret('header'),
    body: secret('body'),
    email: `${secret('email')}@example.org`,
    password: secret('password'),
  };
  const options = { headers: { ...headers, 'user-agent': used.header, accept: `text/${used.header}` } };
  await api.get(`/public/dataset?q=${used.query}`, options);
  await request(`${stack.url}/search?q=${used.query}`, options);
  await api.post('/auth/register', { email: used.email, password: used.password, name: used.body }, options);
  await api.post('/auth/login', { email: used.email, password: used.password }, options);
  await api.post('/auth/forgot-password', { email: used.email }, options);
  await api.post('/auth/verify-email', { token: used.body }, options);
  await api.post('/feedback/submit', { message: used.body, email: used.email }, options);
  await api.post('/moderation/reject', { recordIds: [1], reason: used.body }, { ...options, bearer: token });
  const body = {
    userMetadata: { name: used.body, email: used.email, consentTerms: true },
    experimentData: [smallRecord],
  };
  const [id = 0] = await submitRecords(api, body, token);
  await approve(id, headers);
  await untilTotal(api, total);
  await uploadImage(api);
  await api.get('/no-such-route', options);
  await eventually(
    () => Promise.resolve(receiver.spans.some((span) => span.traceId === traceId && span.name === 'GET')),
    Boolean,
  );
  const everything = receiver.bodies.join('\n');
  const values = [...Object.values(used), clientAddress, password, token, 'admin@example.org', 'zqcollectorzq'];
  for (const value of values) expect({ value, found: everything.includes(value) }).toEqual({ value, found: false });
  expect(everything).not.toMatch(/[?&](q|limit)=|Bearer |eyJ|@example/);
  const statements = receiver.spans.map(({ attributes }) => String(attributes['db.query.text'] ?? ''));
  // Literals would be data that someone wrote into a statement.
  expect(statements.filter((text) => text.includes("'"))).toEqual([]);
});
