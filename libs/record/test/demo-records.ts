import { demoSubmissions } from '@esd/testing/demo';
import type { ExperimentData } from '../src/catalog/catalog.ts';
import { validateSubmission } from '../src/validate/validate-submission.ts';
import { references } from './seed-lists.ts';

export const demoRecords: readonly ExperimentData[] = demoSubmissions.flatMap((body) => {
  const { submission } = validateSubmission(body, references, { userMetadata: 'optional' });
  return (submission?.records ?? []).map(({ data }) => data);
});
