import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';

/** Reads the demo dataset: the body of a submission for each paper, in the order of its records' ids. */
export function readDemoSubmissions(): unknown[] {
  const text = readFileSync(join(root, 'demo', 'submissions.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}
