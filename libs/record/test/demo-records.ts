import { readFileSync } from 'node:fs';
import type { ExperimentData } from '../src/catalogue/catalogue.ts';
import { validateSubmission } from '../src/validate/validate-submission.ts';
import { references } from './seed-lists.ts';

/** The 809 records of the demo dataset in the order of their ids. */
export const demoRecords: readonly ExperimentData[] = readFileSync(
  new URL('../../../demo/submissions.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .flatMap((line) => {
    const { submission } = validateSubmission(JSON.parse(line), references, { userMetadata: 'optional' });
    return (submission?.records ?? []).map(({ data }) => data);
  });
