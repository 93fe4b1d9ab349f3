import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Attributes,
  context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  type SpanContext,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { ERROR_CODES, isErrorCode } from '@esd/api/error-codes';
import { THIS_PROCESS } from './this-process.ts';

/** Attribute names of the semantic conventions 1.45, and those of this project. */
export const ATTRIBUTE = {
  errorType: 'error.type',
  serverAddress: 'server.address',
  httpMethod: 'http.request.method',
  httpRoute: 'http.route',
  httpStatus: 'http.response.status_code',
  urlPath: 'url.path',
  requestId: 'esd.request_id',
  rpcSystem: 'rpc.system.name',
  rpcMethod: 'rpc.method',
  rpcStatus: 'rpc.response.status_code',
  dbSystem: 'db.system.name',
  dbNamespace: 'db.namespace',
  dbQuery: 'db.query.text',
  messagingSystem: 'messaging.system',
  messagingOperation: 'messaging.operation.type',
  messagingDestination: 'messaging.destination.name',
  messagingId: 'messaging.message.id',
  messagingConsumer: 'messaging.consumer.group.name',
  messagingBatchCount: 'messaging.batch.message_count',
} as const;

/** The header, metadata key, and column that carries a W3C trace context. */
export const TRACEPARENT = 'traceparent';

export interface SpanOptions {
  kind: keyof typeof SpanKind;
  name: string;
  /** Called only for a sampled span. */
  attributes: () => Attributes;
  /**
   * The `traceparent` values of the work: the first is the parent, at most 128 others become links. Invalid values are
   * ignored. Without this member, the span is a child of the active span.
   */
  contexts?: readonly unknown[];
  /** The start of work that has ended, by `performance.now()`. */
  startedAt?: number;
}

export interface OpenSpan {
  /** The context for a called process; undefined unless the span is sampled. */
  readonly traceparent: string | undefined;
  /** Runs `work` with this span as the parent of the spans that it starts. */
  run<Result>(work: () => Result): Result;
  setName(name: string, attributes: Attributes): void;
  /** Ends the span; an `error.type` sets the status ERROR. Only the first call has an effect. */
  end(attributes?: Attributes, failed?: string): void;
}

export interface TracesConfig {
  OTEL_EXPORTER_OTLP_ENDPOINT: string;
  /** Only the gateway has it; other processes follow their parent. */
  OTEL_TRACES_SAMPLER_ARG?: number;
}

const MAX_LINKS = 128;
const MAX_WAITING = 2_048;
// Limits the memory of the waiting spans; statements with many rows are long.
const MAX_VALUE_LENGTH = 2_048;
const EXPORT_MS = 10_000;
// An export that outlives its timeout still counts.
const MAX_EXPORTS = 8;
const DRAIN_MS = 1_000;

const TRACEPARENT_VALUE = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;

const NO_SPAN: OpenSpan = {
  traceparent: undefined,
  run: (work) => work(),
  setName: () => undefined,
  end: () => undefined,
};
// Without this, work could continue the trace of other work on the same connection.
const NO_ROOT_SPAN: OpenSpan = { ...NO_SPAN, run: (work) => context.with(ROOT_CONTEXT, work) };

let isOn = false;
let ownRatio: number | undefined;

/** Returns whether this process sends traces. */
export function isTracing(): boolean {
  return isOn;
}

/**
 * Starts the export of spans if an endpoint is set. Calls `onFailure` for each failed export and for dropped spans. Returns a
 * function that sends the waiting spans and gives up after 1 s.
 */
export async function startTraces(
  service: string,
  config: TracesConfig,
  onFailure: (error: Error) => void,
): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: ratio } = config;
  if (endpoint === '') return () => Promise.resolve();
  // Costs 30 MB and 0.25 s.
  const [
    { AlwaysOnSampler, BatchSpanProcessor, TracerProvider },
    { AsyncLocalStorageContextManager },
    { OTLPTraceExporter },
    { resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const report = (cause: unknown): void => {
    onFailure(new Error('spans were dropped', { cause }));
  };
  const ignore = (): void => undefined;
  const warn = (message: string): void => {
    report(new Error(message));
  };
  // The exporter below reports its errors; those of the SDK would contain the response of the collector.
  diag.setLogger({ verbose: ignore, debug: ignore, info: ignore, warn, error: ignore }, DiagLogLevel.WARN);
  // Reads OTEL_EXPORTER_OTLP_HEADERS itself.
  const otlp = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_MS,
    concurrencyLimit: MAX_EXPORTS,
  });
  const exporter: ConstructorParameters<typeof BatchSpanProcessor>[0]['exporter'] = {
    export: (spans, done) => {
      otlp.export(spans, ({ error, ...result }) => {
        if (error) report(error);
        // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- both enums are 0 for success and 1 for a failure
        done(result);
      });
    },
    shutdown: () => otlp.shutdown(),
  };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': service,
      'service.version': THIS_PROCESS.version,
      'service.instance.id': `${THIS_PROCESS.host}:${process.pid}`,
    }),
    // `isSampled` has decided before.
    sampler: new AlwaysOnSampler(),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_LENGTH, linkCountLimit: MAX_LINKS },
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  trace.setGlobalTracerProvider(provider);
  ownRatio = ratio;
  isOn = true;
  return () => Promise.race([provider.shutdown().catch(ignore), sleep(DRAIN_MS)]);
}

/** Starts a span. Does nothing, at little cost, while traces are off. A span that is not sampled is not recorded. */
export function startSpan({ kind, name, attributes, contexts, startedAt }: SpanOptions): OpenSpan {
  // Calls and statements never start a trace.
  if (!isOn || (contexts === undefined && trace.getActiveSpan() === undefined)) return NO_SPAN;
  const [remote, ...others] = (contexts ?? []).flatMap((value) => parseTraceparent(value) ?? []);
  if (contexts !== undefined && !isSampled(remote)) return NO_ROOT_SPAN;
  const active = contexts === undefined ? context.active() : ROOT_CONTEXT;
  const parent = remote ? trace.setSpanContext(active, remote) : active;
  const links = others.slice(0, MAX_LINKS).map((linked) => ({ context: linked }));
  const started = startedAt === undefined ? {} : { startTime: startedAt };
  const span = trace.getTracer('esd').startSpan(name, { kind: SpanKind[kind], links, ...started }, parent);
  span.setAttributes(attributes());
  const { traceId, spanId } = span.spanContext();
  const inside = trace.setSpan(parent, span);
  return {
    traceparent: `00-${traceId}-${spanId}-01`,
    run: (work) => context.with(inside, work),
    setName: (newName, more) => {
      span.updateName(newName).setAttributes(more);
    },
    end: (more = {}, failed) => {
      if (!span.isRecording()) return;
      span.setAttributes(more);
      if (failed !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute(ATTRIBUTE.errorType, failed);
      }
      span.end(startedAt === undefined ? undefined : performance.now());
    },
  };
}

/** Runs `work` within a span that ends with it. */
export async function inSpan<Result>(options: SpanOptions, work: (span: OpenSpan) => Promise<Result>): Promise<Result> {
  const span = startSpan(options);
  try {
    const result = await span.run(() => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end({}, errorType(error));
    throw error;
  }
}

/** Returns the `error.type` of something thrown: its code or its class. Returns undefined for an error of the caller (4xx). */
export function errorType(thrown: unknown): string | undefined {
  if (!Error.isError(thrown)) return typeof thrown;
  if (!('code' in thrown) || typeof thrown.code !== 'string') return thrown.name;
  return isErrorCode(thrown.code) && ERROR_CODES[thrown.code].http < 500 ? undefined : thrown.code;
}

/** Returns the context of the active span; undefined unless it is sampled. */
export function activeTraceparent(): string | undefined {
  const active = activeContext();
  return active && `00-${active.traceId}-${active.spanId}-01`;
}

/** Returns a function that adds the ids of the active span to a log line; undefined while traces are off. */
export function spanIds(): (() => object) | undefined {
  if (!isOn) return undefined;
  return () => {
    const active = activeContext();
    return active ? { trace_id: active.traceId, span_id: active.spanId } : {};
  };
}

function activeContext(): SpanContext | undefined {
  const active = trace.getActiveSpan()?.spanContext();
  return active && active.traceFlags & TraceFlags.SAMPLED ? active : undefined;
}

/** Decides about work that begins in this process. */
function isSampled(remote: SpanContext | undefined): boolean {
  // Random, not by trace id: a caller chooses its trace id and could force recording.
  if (ownRatio !== undefined) return Math.random() < ownRatio;
  return remote !== undefined && (remote.traceFlags & TraceFlags.SAMPLED) !== 0;
}

function parseTraceparent(value: unknown): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT_VALUE.exec(typeof value === 'string' ? value : '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}
