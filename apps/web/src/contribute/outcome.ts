import { isObject } from '@esd/record/validate/read-value';
import type { Finding } from './check-experiment.ts';

export interface Outcome {
  /** Undefined for a check and for an update. */
  readonly submissionId: number | undefined;
  readonly isCheck: boolean;
  readonly records: readonly {
    readonly recordId: number | undefined;
    readonly status: string;
    readonly missingFields: readonly string[];
    readonly warnings: readonly string[];
  }[];
}

export function outcomeOf(body: unknown): Outcome {
  const answer = isObject(body) ? body : {};
  const records = Array.isArray(answer['records']) ? answer['records'].filter(isObject) : [answer];
  const { submissionId } = answer;
  return {
    submissionId: typeof submissionId === 'number' ? submissionId : undefined,
    isCheck: answer['valid'] === true,
    records: records.map(({ recordId, status, missingFields, warnings }) => ({
      recordId: typeof recordId === 'number' ? recordId : undefined,
      status: String(status),
      missingFields: texts(missingFields),
      warnings: Array.isArray(warnings) ? texts(warnings.filter(isObject).map(({ message }) => message)) : [],
    })),
  };
}

/** Reads the errors of a refused submission, each with the index of its record if it belongs to one. */
export function refusalsOf(body: unknown): { record: number | undefined; finding: Finding }[] {
  const answer = isObject(body) ? body : {};
  const errors = Array.isArray(answer['errors']) ? answer['errors'].filter(isObject) : [];
  return errors.map(({ path, message }) => {
    const text = String(message).replaceAll('`', '');
    const [, index, inside] = /^experimentData\[(\d+)\]\.?(.*)$/.exec(String(path)) ?? [];
    return index === undefined
      ? { record: undefined, finding: { path: String(path), label: '', text } }
      : { record: Number(index), finding: { path: inside ?? '', label: '', text } };
  });
}

function texts(values: unknown): string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
}
