import type { TestStack } from '@esd/testing/stack';
import { request } from '@esd/testing/http';

/** Returns the sum of a metric of one process over all series with these labels; 0 without a series. */
export async function readMetric(
  stack: TestStack,
  process: string,
  metric: string,
  labels: Record<string, string>,
): Promise<number> {
  const address = stack.addresses[process]?.['http'];
  if (address === undefined) throw new Error(`${process} has no HTTP port`);
  const { text } = await request(`${address}/metrics`);
  const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${metric}{`) && wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
