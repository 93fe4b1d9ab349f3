/**
 * Measures time and memory of submissions of 1,000 records, in sequence on a new stack. Each has different values and its own DOI, and is
 * sent with a session token.
 *
 *   node bench/submit.ts [--count 40] [--records 1000]
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { startStack, type TestStack } from '@esd/testing/stack';
import { firstAdmin, post } from './first-admin.ts';
import { quantile } from './load.ts';
import { processMemory } from './process-cost.ts';
import { type Part, partMarkdown } from './report.ts';
import { submission } from './submission.ts';

const WARM_UP = 3;
const MOST = 1_000;

const { values } = parseArgs({
  options: { count: { type: 'string', default: '40' }, records: { type: 'string', default: String(MOST) } },
});
const count = z.coerce.number().int().min(1).parse(values.count);
const records = z.coerce.number().int().min(1).max(MOST).parse(values.records);

const stack = await startStack({ empty: true });
try {
  console.log(await measure(stack));
} finally {
  await stack.stop();
}

async function measure({ url, pid }: TestStack): Promise<string> {
  const { token } = await firstAdmin(url);
  const memory = async (): Promise<number> => (await processMemory(pid('submission-svc') ?? 0)).rss;
  for (let index = 0; index < WARM_UP; index += 1) await post(`${url}/data/submit`, submission(index, records), token);
  const before = await memory();
  let most = before;
  let bytes = 0;
  const times: number[] = [];
  for (let index = WARM_UP; index < WARM_UP + count; index += 1) {
    const body = submission(index, records);
    bytes = body.length;
    const started = performance.now();
    await post(`${url}/data/submit`, body, token);
    times.push(performance.now() - started);
    most = Math.max(most, await memory());
  }
  times.sort((a, b) => a - b);
  const p99 = quantile(times, 0.99);
  const part: Part = {
    title: `Submissions of ${records} records`,
    notes: [`${count} submissions in sequence, ${Math.round(bytes / 1024)} KB each, with a session token.`],
    rows: [
      {
        what: 'POST /data/submit',
        'p50 ms': quantile(times, 0.5),
        'p99 ms': p99,
        'max ms': quantile(times, 1),
        'submission-svc RSS before, MB': before,
        'max RSS, MB': most,
      },
    ],
    targets: [{ what: `submit ${records} records, p99 ms`, measured: p99, atMost: 1_500 }],
  };
  return `${partMarkdown(part)}\n${JSON.stringify(part)}`;
}
