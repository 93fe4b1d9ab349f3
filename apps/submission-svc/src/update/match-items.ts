import { describe, ProblemList } from '@esd/record/validate/problems';
import { throwProblems } from '../records/validation-failed.ts';

/**
 * Returns the record of each item of a valid SubmitDataDTO: by `recordId` if every item has one, otherwise by order. Throws
 * VALIDATION_FAILED unless each of `recordIds`, which are ascending, occurs exactly once.
 */
export function matchItems(body: unknown, recordIds: readonly number[]): readonly number[] {
  const sent = sentIds(body);
  const problems = new ProblemList();
  if (sent.length !== recordIds.length) {
    const message = `The submission has ${counted(recordIds.length, 'record')}, but the body has ${counted(sent.length, 'item')}; send each record once.`;
    problems.add('experimentData', 'WRONG_RECORD_COUNT', () => message);
    throwProblems(problems);
  }
  if (!sent.every((id) => id !== undefined)) return recordIds;
  const known = new Set<unknown>(recordIds);
  const seen = new Map<unknown, number>();
  const matched: number[] = [];
  sent.forEach((id, index) => {
    const path = `experimentData[${index}].recordId`;
    const earlier = seen.get(id);
    if (typeof id !== 'number' || !known.has(id)) {
      const message = `${describe(id)} is not a record of this submission; its records are ${list(recordIds)}.`;
      problems.add(path, 'UNKNOWN_RECORD', () => message);
    } else if (earlier !== undefined) {
      const message = `Record ${id} is already in experimentData[${earlier}]; send each record once.`;
      problems.add(path, 'REPEATED_RECORD', () => message);
    } else {
      seen.set(id, index);
      matched.push(id);
    }
  });
  throwProblems(problems);
  return matched;
}

function sentIds(body: unknown): unknown[] {
  if (typeof body !== 'object' || body === null || !('experimentData' in body)) return [];
  const items: unknown[] = Array.isArray(body.experimentData) ? body.experimentData : [];
  return items.map((item) => {
    if (typeof item !== 'object' || item === null || !('recordId' in item)) return undefined;
    return item.recordId ?? undefined;
  });
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const MAX_NAMED = 10;

function list(recordIds: readonly number[]): string {
  const named = recordIds.slice(0, MAX_NAMED).join(', ');
  return recordIds.length > MAX_NAMED ? `${named}, …` : named;
}
