import { countText } from '../format.ts';
import type { Review, TableRow } from './shapes.ts';

/** The number of records that one press approves. More require a confirmation. */
const MAX_UNCONFIRMED = 20;

export type Candidate = Pick<TableRow | Review, 'recordId' | 'warnings' | 'duplicates'>;

export interface Approval {
  readonly title: string;
  readonly count: number;
  /** The number of records that have a warning. */
  readonly warnedCount: number;
  readonly warnings: readonly { readonly text: string; readonly isHigh: boolean; readonly count: number }[];
  readonly send: () => Promise<void>;
}

/** Describes the approval of records if it requires a confirmation, as for many records or a warning of high severity. */
export function approvalToConfirm(records: readonly Candidate[], send: Approval['send']): Approval | undefined {
  const findings = records.flatMap(({ recordId, warnings, duplicates }) => [
    ...warnings
      .filter(({ code }) => code !== 'LIKELY_DUPLICATE' || duplicates.length === 0)
      .map(({ message, severity }) => ({ recordId, text: message, isHigh: severity === 'high' })),
    ...(duplicates.length > 0 ? [{ recordId, text: 'Same values and DOI as another record.', isHigh: true }] : []),
  ]);
  if (records.length <= MAX_UNCONFIRMED && !findings.some(({ isHigh }) => isHigh)) return undefined;
  const warnings = [...Map.groupBy(findings, ({ text }) => text)].map(([text, alike]) => ({
    text,
    isHigh: alike.some(({ isHigh }) => isHigh),
    count: alike.length,
  }));
  const [first] = records;
  return {
    title: `Approve ${records.length === 1 && first ? `record ${first.recordId}` : countText(records.length, 'record')}?`,
    count: records.length,
    warnedCount: new Set(findings.map(({ recordId }) => recordId)).size,
    warnings: warnings.toSorted((a, b) => Number(b.isHigh) - Number(a.isHigh) || b.count - a.count),
    send,
  };
}
