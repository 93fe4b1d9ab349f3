import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { type LabelValues, type MetricDefinition, METRICS } from './metrics-table.ts';

type Table = typeof METRICS;
type NameOf<Type extends MetricDefinition['type']> = {
  [Name in keyof Table]: Table[Name]['type'] extends Type ? Name : never;
}[keyof Table];
type LabelOf<Name extends keyof Table> = Table[Name] extends { labels: infer Labels } ? keyof Labels & string : never;

export type GaugeName = NameOf<'gauge'>;

const registry = new Registry();

// Sampling by @prometheus-io/client would wake the process and count its own interval as delay, so its metrics of the
// event loop are removed, and their timers never fire.
const NEVER_MS = 2 ** 31 - 1;
collectDefaultMetrics({
  register: registry,
  eventLoopMonitoringPrecision: NEVER_MS,
  eventLoopUtilizationTimeout: NEVER_MS,
});
for (const { name } of registry.getMetricsAsArray()) {
  // The names of these gauges end in _total, which is reserved for counters.
  if (/^nodejs_(eventloop_|active_.*_total$)/.test(name)) registry.removeSingleMetric(name);
}

/** Returns the counter of the table. Registers it on first use; its listed labels then exist with the value 0. */
export function counter<Name extends NameOf<'counter'>>(name: Name): Counter<LabelOf<Name>> {
  return registered(name, (settings) => {
    const created = new Counter(settings);
    forEachListed(METRICS[name], {}, (labels) => {
      created.inc(labels, 0);
    });
    return created;
  });
}

/** Returns the gauge of the table; registers it on first use. */
export function gauge<Name extends GaugeName>(name: Name): Gauge<LabelOf<Name>> {
  return registered(name, (settings) => new Gauge(settings));
}

/** Returns the histogram of the table; registers it on first use. Values are in seconds. */
export function histogram<Name extends NameOf<'histogram'>>(name: Name): Histogram<LabelOf<Name>> {
  return registered(name, (settings) => new Histogram({ ...settings, buckets: [...METRICS[name].buckets] }));
}

/** Creates the series of these labels with the value 0, for all values of the other labels if the table lists them. */
export function startAtZero(
  name: NameOf<'counter' | 'histogram'>,
  fixedLabels: Readonly<Record<string, string>>,
): void {
  const definition: MetricDefinition = METRICS[name];
  const metric = registry.getSingleMetric(name);
  forEachListed(definition, fixedLabels, (labels) => {
    if (metric instanceof Counter) metric.inc(labels, 0);
    else if (metric instanceof Histogram) metric.zero(labels);
  });
}

const updates = new Map<string, () => void>();

/** Calls `update` before each scrape, for gauges whose value is in memory. It replaces the function of an earlier `subject`. */
export function onScrape(subject: string, update: () => void): void {
  updates.set(subject, update);
}

const READ_EVERY_MS = 15_000;
const READ_MS = 5_000;

/** Gauges whose values come from a database or NATS. */
export interface MeasuredGauges {
  gauges: readonly GaugeName[];
  /** Returns the function that sets the gauges. */
  read: () => Promise<() => void>;
}

/**
 * Reads the gauges now and every 15 s. While `read` throws or takes more than 5 s, their series are absent. Returns a stop
 * function.
 */
export function measureGauges({ gauges, read }: MeasuredGauges): () => void {
  let reading = false;
  const clear = (): void => {
    for (const name of gauges) {
      const measured: Gauge = gauge(name);
      measured.reset();
      // A gauge without labels would return 0.
      if (labelNamesOf(METRICS[name]).length === 0) measured.remove();
    }
  };
  const measure = async (): Promise<void> => {
    if (reading) return;
    reading = true;
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      clear();
    }, READ_MS);
    try {
      const set = await read();
      if (isLate) return;
      clear();
      set();
    } catch {
      clear();
    } finally {
      clearTimeout(late);
      reading = false;
    }
  };
  clear();
  void measure();
  const timer = setInterval(() => void measure(), READ_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
  };
}

export const METRICS_TYPE = registry.contentType;

/** Returns all metrics of this process in the text format of Prometheus. */
export async function metricsText(): Promise<string> {
  for (const update of updates.values()) update();
  return await registry.metrics();
}

// Each sample wakes the process: 250 ms cost 0.2 ms of CPU time per second, 50 ms cost 0.9.
const SAMPLE_MS = 250;
const WINDOW_MS = 15_000;
const WINDOWS = 4;

let isMeasuringEventLoop = false;

/** Measures the event loop of this process from now on. */
export function measureEventLoop(): void {
  if (isMeasuringEventLoop) return;
  isMeasuringEventLoop = true;
  const utilization = gauge('esd_event_loop_utilization_ratio');
  const delay = gauge('esd_event_loop_delay_max_seconds');
  const sampler = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  sampler.enable();
  // In nanoseconds; the newest is last.
  let maxima: number[] = [];
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    maxima = [...maxima, sampler.max].slice(1 - WINDOWS);
    sampler.reset();
    const now = performance.eventLoopUtilization();
    utilization.set(performance.eventLoopUtilization(now, before).utilization);
    before = now;
  }, WINDOW_MS).unref();
  onScrape('event loop', () => {
    delay.set(Math.max(0, Math.max(sampler.max, ...maxima) / 1e9 - SAMPLE_MS / 1e3));
  });
}

interface Settings {
  name: string;
  help: string;
  labelNames: string[];
  registers: Registry[];
}

function registered<Metric>(name: keyof Table, create: (settings: Settings) => Metric): Metric {
  const definition: MetricDefinition = METRICS[name];
  const registeredMetric = registry.getSingleMetric(name);
  // Safe cast: the table has one type and one set of labels for each name.
  if (registeredMetric) return registeredMetric as Metric;
  return create({ name, help: definition.help, labelNames: labelNamesOf(definition), registers: [registry] });
}

function labelNamesOf({ labels = {} }: MetricDefinition): string[] {
  return Object.keys(labels);
}

/** Calls `visit` with each combination of `fixedLabels` and the listed values; not at all if a label has neither. */
function forEachListed(
  { labels = {} }: MetricDefinition,
  fixedLabels: Readonly<Record<string, string>>,
  visit: (labels: Record<string, string>) => void,
): void {
  let combinations: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(labels)) {
    const fixed = fixedLabels[name];
    const all = fixed === undefined ? listed(values) : [fixed];
    combinations = combinations.flatMap((labelValues) => all.map((value) => ({ ...labelValues, [name]: value })));
  }
  for (const combination of combinations) visit(combination);
}

function listed(values: LabelValues): readonly string[] {
  return values instanceof RegExp || 'names' in values ? [] : values;
}
