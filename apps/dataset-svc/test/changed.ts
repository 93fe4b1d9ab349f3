import type { ChangeOutcome } from '../src/reference/change-entry.ts';

/** The outcome of a change that must not be refused. */
export function changeOf(outcome: ChangeOutcome): Extract<ChangeOutcome, { kind: 'changed' }> {
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.problems));
  return outcome;
}
