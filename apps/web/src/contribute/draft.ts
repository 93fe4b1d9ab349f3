import { isObject } from '@esd/record/validate/is-object';
import type { FormExperiment } from './form-values.ts';
import { isEmptyExperiment } from './form-values.ts';
import type { Sheet } from './sheet.ts';

/** The sender of a submission without an account. */
export interface Sender {
  readonly name: string;
  readonly email: string;
  readonly consents: boolean;
}

export interface Paper {
  readonly doi: string;
  readonly publicationTitle: string;
}

/** The unsent input, as the browser stores it. It never contains a token. */
export interface Draft {
  /** Pages that expect another version ignore the draft. */
  readonly version: 1;
  readonly mode: 'form' | 'sheet';
  readonly paper: Paper;
  readonly sender: Sender;
  readonly experiments: readonly FormExperiment[];
  readonly sheet: Sheet | undefined;
  /** The first part of the Idempotency-Key of its submissions. */
  readonly key: string | undefined;
  /** The ETag that the edited record had when it was read. It prevents overwriting later changes by others. */
  readonly entityTag: string | undefined;
  /** ISO 8601. */
  readonly savedAt: string;
}

export function hasInput({ paper, experiments, sheet }: Pick<Draft, 'paper' | 'experiments' | 'sheet'>): boolean {
  const isPaper = paper.doi.trim() !== '' || paper.publicationTitle.trim() !== '';
  return isPaper || (sheet?.rows.length ?? 0) > 0 || experiments.some((experiment) => !isEmptyExperiment(experiment));
}

export function isDraft(value: unknown): value is Draft {
  return isObject(value) && value['version'] === 1;
}
