import type { PaperSummary } from '@esd/record/papers/paper';
import type { NamedSubstance } from '@esd/record/reference/substance-names';

/** The facts of the papers, and the names of the polymers and solvents, that a page shows. */
export interface Known {
  readonly papers: readonly PaperSummary[];
  readonly substances: readonly NamedSubstance[];
}
