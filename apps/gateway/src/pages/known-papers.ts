import { paperSummariesSchema } from '@esd/pages/papers';
import type { PaperSummary } from '@esd/record/papers/paper';

/** Reads the facts of papers in a response of dataset-svc; none from a replica of the previous software release. */
export function readKnownPapers({ papersJson }: { papersJson?: Uint8Array | undefined }): readonly PaperSummary[] {
  return papersJson === undefined ? [] : paperSummariesSchema.parse(JSON.parse(Buffer.from(papersJson).toString()));
}
