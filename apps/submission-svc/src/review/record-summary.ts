import type { ExperimentData } from '@esd/record/catalog/catalog';
import { type Cell, reviewColumns, withUnit } from './record-cells.ts';

const MAX_VALUES = 4;
const MAX_NAMES = 3;

/** The quantities of a summary. The polymer is named only if it differs. */
const ORDER = [
  'polymer(s)',
  'solvent(s)',
  'solution_concentration',
  'voltage',
  'tip_collector_distance',
  'flow_rate',
  'fiber_diameter',
];
const summaryColumns = ORDER.map((name) => {
  const column = reviewColumns.find((one) => one.column === name);
  if (!column) throw new Error(`there is no column ${name}`);
  return column;
});

/** The cells of a record in the order of the summary. */
export type SummaryCells = readonly (Cell | undefined)[];

export function summaryCells(data: ExperimentData): SummaryCells {
  return summaryColumns.map(({ cellOf }) => cellOf(data));
}

/**
 * Returns one text for each record: the first four values that differ between the records, as in "DMF · 15 kV · 240 nm".
 * If none differs, as for a single record, the text has all of them except the polymer.
 */
export function recordSummaries(records: readonly SummaryCells[]): string[] {
  const differing = differingColumns(records);
  return records.map((cells) => {
    const shown = differing.length === 0 ? cells.slice(1) : differing.map((at) => cells[at]);
    const texts = shown.flatMap((cell) => (cell ? [withUnit(cell.text, cell.unit)] : []));
    return joined(differing.length === 0 ? texts : texts.slice(0, MAX_VALUES));
  });
}

/**
 * Summarizes the records of a submission: the ranges of the first four quantities that differ, as in
 * "DMF, WATER · 10–20 kV". The polymers are not among them. If none differs, returns the summary of one record.
 */
export function submissionSummary(records: readonly SummaryCells[]): string {
  const differing = differingColumns(records).filter((at) => at > 0);
  if (differing.length === 0) return recordSummaries(records.slice(0, 1))[0] ?? '';
  return joined(
    differing.slice(0, MAX_VALUES).map((at) =>
      rangeOf(
        records.flatMap((cells) => cells[at] ?? []),
        at,
      ),
    ),
  );
}

function differingColumns(records: readonly SummaryCells[]): number[] {
  return summaryColumns.flatMap((_, at) => {
    const first = records[0]?.[at]?.key;
    return records.some((cells) => cells[at]?.key !== first) ? [at] : [];
  });
}

function rangeOf(cells: readonly Cell[], at: number): string {
  const units = new Set(cells.map(({ unit }) => unit));
  const numbers = cells.map(({ text }) => Number(text)).sort((one, other) => one - other);
  const [first = NaN, last = NaN] = [numbers[0], numbers.at(-1)];
  if (Number.isFinite(first) && Number.isFinite(last) && units.size === 1) {
    return withUnit(first === last ? String(first) : `${first}–${last}`, [...units][0]);
  }
  const texts = [...new Set(cells.map(({ text, unit }) => withUnit(text, unit)))];
  if (texts.length <= MAX_NAMES) return texts.join(', ');
  return `${texts.length} ${at === 1 ? 'solvents' : 'values'}`;
}

function joined(texts: readonly string[]): string {
  return texts.join(' · ');
}
