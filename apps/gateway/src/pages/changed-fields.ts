import { z } from 'zod';
import type { ChangedField } from '@esd/pages/page';

const answer = z.array(
  z.object({ path: z.string(), published: z.unknown().optional(), proposed: z.unknown().optional() }),
);

export function changedFields(json: Uint8Array): ChangedField[] {
  const changes = answer.parse(JSON.parse(Buffer.from(json).toString()));
  return changes.map(({ path, published: before, proposed: after }) => ({ path, before, after }));
}
