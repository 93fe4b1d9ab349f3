import type { ValidationProblem } from '@esd/record/validate/problems';
import type { SheetReading } from '@esd/record/sheet/sheet-reading';
import { countText } from '../../format.ts';
import { LinkButton } from '../../parts/buttons.tsx';
import { ScrollTable } from '../../parts/scroll-table.tsx';

interface HeadingRowsProps {
  /** The first rows of the sheet. */
  rows: NonNullable<ValidationProblem['rows']>;
  /** The number of the heading row, if the reader found it. */
  current?: number;
  onChoose: (row: number) => void;
}

/** Lists the first rows of a sheet, of which the user chooses that of the headings. */
export function HeadingRows({ rows, current, onChoose }: HeadingRowsProps) {
  return (
    <ScrollTable label="First rows of the sheet">
      <tbody>
        {rows.map(({ row, cells }) => (
          <tr key={row}>
            <th scope="row">
              <LinkButton
                aria-label={`Row ${row} has the headings`}
                aria-pressed={row === current}
                onClick={() => onChoose(row)}
              >
                Row {row}
              </LinkButton>
            </th>
            {cells.map((text, at) => (
              <td key={at}>{text}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

interface TablesProps {
  reading: SheetReading;
  onChoose: (table: number) => void;
  /** Reads the heading rows of other tables as experiments of the first. */
  onJoin: () => void;
}

/** Offers the tables of a sheet, of which the page shows one. */
export function Tables({ reading: { tables, headingRow }, onChoose, onJoin }: TablesProps) {
  return (
    <p class="small bar">
      <b>{countText(tables.length, 'table')}:</b>
      <span class="switch" role="group" aria-label="Tables">
        {tables.map((table, at) => (
          <button
            key={table.headingRow}
            type="button"
            aria-pressed={table.headingRow === headingRow}
            onClick={() => onChoose(at + 1)}
          >
            From row {table.headingRow}, {countText(table.rows, 'row')}
          </button>
        ))}
      </span>
      <span>
        Each has its own headings. Send one after the other, or{' '}
        <LinkButton onClick={onJoin}>read all rows as one table</LinkButton>.
      </span>
    </p>
  );
}
