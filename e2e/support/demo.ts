import { demoSubmissions } from '@esd/testing/demo';
import { z } from 'zod';

const submission = z.strictObject({
  researchMetadata: z.record(z.string(), z.unknown()),
  experimentData: z.array(z.record(z.string(), z.unknown())).min(1),
});

/** The demo's submissions as they are sent, and the records that have to come of them, in the order of their ids. */
export function readDemo(): { submissions: number; records: Record<string, unknown>[] } {
  const items = demoSubmissions.flatMap((body) => {
    const { researchMetadata, experimentData } = submission.parse(body);
    return experimentData.map((item) => ({ ...item, researchMetadata }));
  });
  return {
    submissions: demoSubmissions.length,
    records: items.map((item, index) => ({ recordId: index + 1, experimentId: index + 1, ...item })),
  };
}
