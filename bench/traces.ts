import { startStack, type TestStack } from '@esd/testing/stack';
import { startBareServer } from './bare-server.ts';
import { inRounds, type Load, loadColumns } from './load.ts';
import { newPage } from './paced.ts';
import { processorTime } from './process-cost.ts';
import type { Part } from './report.ts';

const SECONDS = 5;
const ROUNDS = 5;
const CONNECTIONS = 8;
const LEAST_SHARE = 0.95;
const [WITHOUT, WITH] = ['without an endpoint', 'a tenth of the requests'];

/** Measures the cost of traces: the same reads in alternating rounds, without an endpoint and with one at the default ratio. */
export async function traceCost(): Promise<Part> {
  const collector = await startBareServer({
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{}'),
  });
  const stacks: [string, TestStack][] = [];
  try {
    stacks.push([WITHOUT, await startStack()]);
    stacks.push([WITH, await startStack({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })]);
    const part: Part = {
      title: 'Cost of traces',
      notes: [
        `${CONNECTIONS} connections, ${SECONDS} s each, median of ${ROUNDS} alternating rounds; demo dataset; the collector discards the spans.`,
      ],
      rows: [],
      targets: [],
    };
    const measure = async (what: string, nextPath: () => string): Promise<void> => {
      const loads = await inRounds(
        ROUNDS,
        stacks.map(([name, stack]) => ({
          name,
          ...{ url: stack.url, nextPath, connections: CONNECTIONS, seconds: SECONDS },
          meter: () => processorTime(stack),
        })),
      );
      for (const [traces, one] of loads) part.rows.push({ reads: what, traces, ...loadColumns(one) });
      part.targets.push({
        what: `${what}: requests/s relative to no traces`,
        measured: perSecond(loads, WITH) / perSecond(loads, WITHOUT),
        atLeast: LEAST_SHARE,
      });
    };
    let number = 0;
    await measure('cached page', () => '/public/dataset?limit=20');
    await measure('page never requested before', () => newPage(1, (number += 1)));
    return part;
  } finally {
    for (const [, stack] of stacks) await stack.stop();
    await collector.stop();
  }
}

const perSecond = (loads: ReadonlyMap<string, Load>, name: string): number => loads.get(name)?.perSecond ?? NaN;
