import type { Problem } from '@esd/record/problems';
import { describe } from '@esd/record/problems';

/**
 * Which record each item of an update means: by `recordId` where every item carries one, else by order. Every record of
 * the submission must be meant exactly once.
 *
 * @param body a SubmitDataDTO that is valid, as `JSON.parse` made it
 * @param recordIds the records of the submission, ascending
 */
export function matchItems(
  body: unknown,
  recordIds: readonly number[],
): { recordIds: number[] } | { problems: Problem[] } {
  const sent = sentIds(body);
  if (sent.length !== recordIds.length) {
    const message = `The submission has ${recordIds.length} record(s), got ${sent.length} item(s); send each once.`;
    return { problems: [{ path: 'experimentData', code: 'WRONG_RECORD_COUNT', message }] };
  }
  if (!sent.every((id) => id !== undefined)) return { recordIds: [...recordIds] };
  const known = new Set<unknown>(recordIds);
  const seen = new Map<unknown, number>();
  const matched: number[] = [];
  const problems: Problem[] = [];
  sent.forEach((id, index) => {
    const path = `experimentData[${index}].recordId`;
    const earlier = seen.get(id);
    if (typeof id !== 'number' || !known.has(id)) {
      const message = `${describe(id)} is no record of this submission; its records are ${list(recordIds)}.`;
      problems.push({ path, code: 'UNKNOWN_RECORD', message });
    } else if (earlier !== undefined) {
      const message = `Record ${id} is experimentData[${earlier}] already; send each once.`;
      problems.push({ path, code: 'REPEATED_RECORD', message });
    } else {
      seen.set(id, index);
      matched.push(id);
    }
  });
  return problems.length > 0 ? { problems } : { recordIds: matched };
}

function sentIds(body: unknown): unknown[] {
  if (typeof body !== 'object' || body === null || !('experimentData' in body)) return [];
  const items: unknown[] = Array.isArray(body.experimentData) ? body.experimentData : [];
  return items.map((item) => {
    if (typeof item !== 'object' || item === null || !('recordId' in item)) return undefined;
    return item.recordId ?? undefined;
  });
}

const MOST_NAMED = 10;

function list(recordIds: readonly number[]): string {
  const named = recordIds.slice(0, MOST_NAMED).join(', ');
  return recordIds.length > MOST_NAMED ? `${named}, …` : named;
}
