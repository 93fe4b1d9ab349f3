import type { TestStack } from '@esd/testing/stack';
import { request } from '@esd/testing/http';

export interface Series {
  /** The name in the line: that of the metric, or for a histogram with the suffix _bucket, _sum, or _count. */
  name: string;
  /** The name in the table of metrics. */
  metric: string;
  type: string;
  labels: Record<string, string>;
  value: number;
}

/** Returns all series of one process. Throws for a line that is not in the text format of Prometheus. */
export async function scrape(stack: TestStack, process: string): Promise<Series[]> {
  const address = stack.addresses[process]?.['http'];
  if (address === undefined) throw new Error(`${process} has no HTTP port`);
  const { text } = await request(`${address}/metrics`);
  const types = new Map<string, string>();
  const all: Series[] = [];
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, named = '', type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (named !== '') types.set(named, type);
    if (line.startsWith('#')) continue;
    const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const metric = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '');
    const found = types.get(metric);
    if (found === undefined) throw new Error(`${process}: no type for the line ${line}`);
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
      ([, key = '', text_ = '']) => [key, text_] as const,
    );
    all.push({ name, metric, type: found, labels: Object.fromEntries<string>(pairs), value: Number(value) });
  }
  return all;
}

/** Returns the sum of a metric of one process over all series with these labels; 0 without a series. */
export async function readMetric(
  stack: TestStack,
  process: string,
  metric: string,
  labels: Record<string, string>,
): Promise<number> {
  const series = await scrape(stack, process);
  return series
    .filter((one) => one.name === metric && Object.entries(labels).every(([name, value]) => one.labels[name] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
