import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startStack, type TestStack } from '@esd/testing/stack';
import { smallSubmission } from '@esd/testing/records';
import { type Api, apiAt } from '../support/api.ts';
import { createAdmin } from '../support/admin.ts';
import { submitRecords, untilTotal } from '../support/dataset.ts';
import { eventually } from '../support/eventually.ts';
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from '../support/trace-receiver.ts';
import { whileAway } from '../support/while-away.ts';

const [SERVER, CLIENT, PRODUCER, CONSUMER] = [2, 3, 4, 5];
const CLIENT_ADDRESS = '203.0.113.77';

let receiver: TraceReceiver;
let stack: TestStack;
let api: Api;
let token: string;
beforeAll(async () => {
  receiver = await startTraceReceiver();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20c2VjcmV0',
    OTEL_TRACES_SAMPLER_ARG: '1',
    ESD_TRUSTED_PROXIES: '1',
  };
  stack = await startStack({ empty: true, env });
  api = apiAt(stack.url);
  ({ token } = await createAdmin(api));
});
afterAll(async () => {
  await stack.stop();
  await receiver.close();
});

const newTraceId = () => randomBytes(16).toString('hex');
const spansOf = (traceId: string) => receiver.spans.filter((span) => span.traceId === traceId);
const isOf = (service: string, name: string) => (span: ReceivedSpan) =>
  span.resource['service.name'] === service && span.name === name;

async function spansUntil(traceId: string, found: (spans: ReceivedSpan[]) => boolean): Promise<ReceivedSpan[]> {
  return await eventually(async () => spansOf(traceId), found);
}

test('x', async () => {
  const traceId = newTraceId();
  const headers = { traceparent: `00-${traceId}-${'b'.repeat(16)}-00`, 'x-forwarded-for': CLIENT_ADDRESS };
  const [id] = await submitRecords(api, smallSubmission(1), token);
  const answer = await api.post(`/moderation/records/${id}/approve`, '', { bearer: token, headers });
  expect(answer.status).toBe(200);
  await untilTotal(api, 1);
  const spans = await spansUntil(traceId, (all) => all.some(({ kind }) => kind === CONSUMER));
  await new Promise((r) => setTimeout(r, 6000));
  for (const s of spansOf(traceId)) console.log(s.resource['service.name'], s.spanId, s.parentSpanId, s.kind, s.name, JSON.stringify(s.attributes), s.status.code);
  console.log(receiver.headers, receiver.spans[0], receiver.spans.length);
  await new Promise((r) => setTimeout(r, 12000));
  const n = receiver.spans.length;
  await new Promise((r) => setTimeout(r, 20000));
  console.log('idle spans', receiver.spans.slice(n).map(s => s.name));
});
