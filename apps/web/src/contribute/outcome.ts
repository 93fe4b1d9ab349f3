import type { ResponseAt } from '@esd/api/operations';
import { fieldNameOfPath } from '@esd/record/catalog/field-names';
import type { RecordStatus } from '@esd/record/status/record-status';
import { keyLabels } from '@esd/record/metadata/key-labels';
import { isObject } from '@esd/record/validate/is-object';
import { problemsOf } from '../client/call.ts';
import type { LocatedFinding } from './check-experiment.ts';

export interface Outcome {
  /** Undefined for a check and for an update. */
  readonly submissionId: number | undefined;
  readonly isCheck: boolean;
  readonly records: readonly {
    readonly recordId: number | undefined;
    readonly status: RecordStatus;
    /** The names of missing mandatory fields, and of others that readers need most. */
    readonly missing: readonly string[];
    readonly warnings: readonly string[];
  }[];
}

type Submitted = ResponseAt<'post', '/data/submit'>;
type Updated = ResponseAt<'put', '/data/update/{recordId}'>;
/** A record; a checked one has no id. */
type StoredOrChecked = Omit<Updated, 'recordId' | 'message'> & { readonly recordId?: number };

/** Reads the response to a submission of experiments. `shared` are the members that belong to all of them. */
export function outcomeOf(body: Submitted | Updated, items: readonly object[], shared: object): Outcome {
  const records: readonly StoredOrChecked[] = 'records' in body ? body.records : [body];
  return {
    submissionId: 'submissionId' in body ? body.submissionId : undefined,
    isCheck: 'valid' in body,
    records: records.map((record, at) => ({
      recordId: record.recordId,
      status: record.status,
      missing: [...new Set([...record.missingFields.map(fieldNameOfPath), ...unreported(items[at] ?? {}, shared)])],
      warnings: record.warnings.map(({ message }) => message),
    })),
  };
}

/** Returns the errors of a refused submission, each with the index of its record if it belongs to one. */
export function refusalsOf(error: unknown): LocatedFinding[] {
  return problemsOf(error).map(({ path, message }) => {
    const text = message.replaceAll('`', '');
    const [, index, inside = ''] = /^experimentData\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    return index === undefined
      ? { record: undefined, finding: { path, label: '', text } }
      : { record: Number(index), finding: { path: inside, label: '', text } };
  });
}

/** The values that readers of a record need most, each with the paths of which one suffices. */
const NEEDED: readonly (readonly [label: string, ...paths: string[]])[] = [
  [keyLabels.doi.label, 'researchMetadata.doi'],
  [keyLabels.solvent.label, 'solventProperty.solventComponents'],
  [keyLabels.concentration.label, 'solutionProperty.concentration'],
  [keyLabels.flowRate.label, 'processParameter.flowRate'],
  ['Result', 'fiberProperty.fiberDiameter', 'fiberProperty.isFormationStable'],
];

/** Lists what an experiment of a submission does not report: paper, solvent, concentration, flow rate, result. `shared` belongs to all of them. */
export function unreported(item: object, shared: object): string[] {
  const isReported = (path: string): boolean => [item, shared].some((values) => valueAt(values, path) !== undefined);
  return NEEDED.flatMap(([label, ...paths]) => (paths.some(isReported) ? [] : [label]));
}

function valueAt(values: object, path: string): unknown {
  let member: unknown = values;
  for (const name of path.split('.')) member = isObject(member) ? member[name] : undefined;
  return member;
}
