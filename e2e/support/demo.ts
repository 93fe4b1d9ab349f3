import { readFileSync } from 'node:fs';
import { z } from 'zod';

const line = z.strictObject({
  researchMetadata: z.record(z.string(), z.unknown()),
  experimentData: z.array(z.record(z.string(), z.unknown())).min(1),
});

/** The demo's submissions as they are sent, and the records that have to come of them, in the order of their ids. */
export function readDemo(): { submissions: number; records: Record<string, unknown>[] } {
  const file = new URL('../../demo/submissions.jsonl', import.meta.url);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const items = lines.flatMap((text) => {
    const { researchMetadata, experimentData } = line.parse(JSON.parse(text));
    return experimentData.map((item) => ({ ...item, researchMetadata }));
  });
  return {
    submissions: lines.length,
    records: items.map((item, index) => ({ recordId: index + 1, experimentId: index + 1, ...item })),
  };
}
