import { fieldNameOfPath } from '@esd/record/catalog/field-names';
import { isObject } from '@esd/record/validate/is-object';
import type { LocatedFinding } from './check-experiment.ts';
import { unreported } from './unreported.ts';

export interface Outcome {
  /** Undefined for a check and for an update. */
  readonly submissionId: number | undefined;
  readonly isCheck: boolean;
  readonly records: readonly {
    readonly recordId: number | undefined;
    readonly status: string;
    /** The names of missing mandatory fields, and of others that readers need most. */
    readonly missing: readonly string[];
    readonly warnings: readonly string[];
  }[];
}

/** Reads the response to a submission of experiments. `shared` are the members that belong to all of them. */
export function outcomeOf(body: unknown, items: readonly object[], shared: object): Outcome {
  const answer = isObject(body) ? body : {};
  const records = Array.isArray(answer['records']) ? answer['records'].filter(isObject) : [answer];
  const { submissionId } = answer;
  return {
    submissionId: typeof submissionId === 'number' ? submissionId : undefined,
    isCheck: answer['valid'] === true,
    records: records.map(({ recordId, status, missingFields, warnings }, at) => ({
      recordId: typeof recordId === 'number' ? recordId : undefined,
      status: String(status),
      missing: [...new Set([...texts(missingFields).map(fieldNameOfPath), ...unreported(items[at] ?? {}, shared)])],
      warnings: Array.isArray(warnings) ? texts(warnings.filter(isObject).map(({ message }) => message)) : [],
    })),
  };
}

/** Reads the errors of a refused submission, each with the index of its record if it belongs to one. */
export function refusalsOf(body: unknown): LocatedFinding[] {
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
