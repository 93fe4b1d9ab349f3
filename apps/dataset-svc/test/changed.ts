import type { ChangeOutcome } from '../src/reference/change-entry.ts';

/** Returns a successful outcome. Throws if the change was rejected. */
export function changeOf(outcome: ChangeOutcome): Extract<ChangeOutcome, { kind: 'changed' }> {
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.problems));
  return outcome;
}
