import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';

/** Reads the demo dataset: one submission body per paper, ordered by record id. */
export function readDemoSubmissions(): unknown[] {
  const text = readFileSync(join(root, 'demo', 'submissions.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}
