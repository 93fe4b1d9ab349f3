import type { FormExperiment } from './form-values.ts';
import { isEmptyExperiment } from './form-values.ts';
import type { Sheet } from './sheet.ts';

/** Who sends without an account. */
export interface Sender {
  readonly name: string;
  readonly email: string;
  readonly consents: boolean;
}

/** The paper that all experiments are from. */
export interface Paper {
  readonly doi: string;
  readonly publicationTitle: string;
}

/** What is entered and not yet sent, as the browser keeps it. Never a token. */
export interface Draft {
  /** Another version of the page cannot read it. */
  readonly version: 1;
  readonly mode: 'form' | 'sheet';
  readonly paper: Paper;
  readonly sender: Sender;
  readonly experiments: readonly FormExperiment[];
  readonly sheet: Sheet | undefined;
  /** The Idempotency-Key of what was sent without an answer; it goes with the next change. */
  readonly key: string | undefined;
  /** Of the revision of an own record that is changed: what others did since is not overwritten. */
  readonly entityTag: string | undefined;
  /** ISO 8601. */
  readonly savedAt: string;
}

/** Whether there is something that would be lost. */
export function hasInput({ paper, experiments, sheet }: Pick<Draft, 'paper' | 'experiments' | 'sheet'>): boolean {
  const isPaper = paper.doi.trim() !== '' || paper.publicationTitle.trim() !== '';
  return isPaper || (sheet?.rows.length ?? 0) > 0 || experiments.some((experiment) => !isEmptyExperiment(experiment));
}

/** Whether a stored value is a draft of this version of the page. */
export function isDraft(value: unknown): value is Draft {
  return typeof value === 'object' && value !== null && 'version' in value && value.version === 1;
}
