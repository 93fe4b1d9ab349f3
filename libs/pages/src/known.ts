import type { PaperSummary } from '@esd/record/papers/paper';
import type { NamedSubstance } from '@esd/record/reference/substance-names';
import * as z from 'zod/mini';

/** The facts of papers in the newest state of the list of papers, for pages of any state. */
export const paperSummariesSchema: z.ZodMiniType<readonly PaperSummary[]> = z.array(
  z.object({
    doi: z.string(),
    title: z.optional(z.string()),
    authors: z.optional(z.string()),
    year: z.optional(z.number()),
    journal: z.optional(z.string()),
  }),
);

/** The names of the polymers and solvents of a dataset for people. */
export const namedSubstancesSchema: z.ZodMiniType<readonly NamedSubstance[]> = z.array(
  z.object({ key: z.enum(['polymer', 'solvent']), value: z.string(), name: z.string(), shortName: z.string() }),
);

/** The facts of the papers, and the names of the polymers and solvents, that a page shows. */
export interface Known {
  readonly papers: readonly PaperSummary[];
  readonly substances: readonly NamedSubstance[];
}
