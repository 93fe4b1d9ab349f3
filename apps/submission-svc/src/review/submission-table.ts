import type { ExperimentData } from '@esd/record/catalog/catalog';
import type { RecordStatus } from '@esd/record/status/record-status';
import { type RecordWarning, severityOf } from '@esd/record/validate/problems';
import { type Cell, columnOfPath, reviewColumns, withUnit } from './record-cells.ts';
import { recordSummaries, type SummaryCells, summaryCells } from './record-summary.ts';

/** Bounds the table, because a record can have hundreds of components with a warning each. */
const MAX_WARNINGS = 10;

export interface TableRecord {
  recordId: number;
  revision: number;
  status: RecordStatus;
  publishedRevision: number | null;
  warnings: readonly RecordWarning[];
  data: ExperimentData;
  /** The public revision, if the newest one is another; otherwise null. */
  published: ExperimentData | null;
}

export interface TableColumn {
  column: string;
  label: string;
  /** Set if all rows with a value have this unit; their texts then omit it. */
  unit: string | undefined;
  /** Number of distinct values; an absent value counts as one. */
  distinct: number;
  /** The common value; undefined if the rows differ. */
  value: string | undefined;
}

export interface TableRow extends Omit<TableRecord, 'data' | 'published' | 'warnings'> {
  summary: string;
  /** The texts of the differing columns. */
  values: Record<string, string>;
  warnings: (RecordWarning & { column: string | undefined })[];
  /** The columns in which the newest revision differs from the public one. */
  changed: string[];
}

interface Row {
  readonly fixed: Omit<TableRow, 'summary' | 'values'>;
  /** In the order of reviewColumns. */
  readonly cells: readonly (Cell | undefined)[];
  readonly summary: SummaryCells;
}

/** Collects the records of a submission as a table. The collector retains short texts instead of the records. */
export function submissionTable() {
  const rows: Row[] = [];

  function add({ data, published, warnings, ...record }: TableRecord): void {
    const cells = reviewColumns.map(({ cellOf }) => cellOf(data));
    const changed = published
      ? reviewColumns.flatMap(({ column, cellOf }, at) => (cellOf(published)?.key === cells[at]?.key ? [] : [column]))
      : [];
    const isHigh = ({ code }: RecordWarning): number => Number(severityOf(code) === 'high');
    const marked = warnings
      .toSorted((a, b) => isHigh(b) - isHigh(a))
      .slice(0, MAX_WARNINGS)
      .map((warning) => ({ ...warning, column: columnOfPath(warning.path) }));
    rows.push({ fixed: { ...record, warnings: marked, changed }, cells, summary: summaryCells(data) });
  }

  /** Returns the columns that a row fills, those that differ first, and the rows in the order of their records. */
  function finish(): { columns: TableColumn[]; rows: TableRow[] } {
    const columns = reviewColumns.flatMap((_, at) => columnAt(rows, at) ?? []);
    const differing = columns.filter(({ distinct }) => distinct > 1);
    const at = new Map(reviewColumns.map(({ column }, index) => [column, index]));
    const summaries = recordSummaries(rows.map(({ summary }) => summary));
    return {
      columns: [...differing, ...columns.filter(({ distinct }) => distinct === 1)],
      rows: rows.map(({ fixed, cells }, index) => ({
        ...fixed,
        summary: summaries[index] ?? '',
        values: Object.fromEntries(
          differing.flatMap(({ column, unit }) => {
            const cell = cells[at.get(column) ?? -1];
            return cell ? [[column, textOf(cell, unit)]] : [];
          }),
        ),
      })),
    };
  }

  return { add, finish };
}

function columnAt(rows: readonly Row[], at: number): TableColumn | undefined {
  const described = reviewColumns[at];
  const filled = rows.flatMap(({ cells }) => cells[at] ?? []);
  const [first] = filled;
  if (!described || !first) return undefined;
  const { column, label } = described;
  const unit = filled.every((cell) => cell.unit === first.unit) ? first.unit : undefined;
  const distinct = new Set(filled.map(({ key }) => key)).size + (filled.length < rows.length ? 1 : 0);
  return { column, label, unit, distinct, value: distinct === 1 ? textOf(first, unit) : undefined };
}

function textOf(cell: Cell, unit: string | undefined): string {
  return unit === undefined ? withUnit(cell.text, cell.unit) : cell.text;
}
