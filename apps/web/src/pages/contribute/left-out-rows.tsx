import type { CheckedRow } from '../../contribute/check-sheet.ts';
import { shownText } from '@esd/record/sheet/unreadable-cell';
import type { Contribution } from '../../contribute/contribution.ts';
import { type Sheet, withRow } from '../../contribute/sheet.ts';
import { countText } from '../../format.ts';
import { LinkButton } from '../../parts/buttons.tsx';

const REASONS: Readonly<Record<string, string>> = {
  hidden: 'is hidden in the file',
  'repeated-heading': 'repeats the headings',
  units: 'contains units',
  example: 'is an example',
  statistic: 'is a statistic of other rows',
  text: 'contains only a text',
  excluded: 'is left out because you chose it',
};

export function leftOutText(reason: string | null): string {
  const because = REASONS[reason ?? ''] ?? 'is no experiment';
  return reason === 'excluded' ? 'You left this row out.' : `This row ${because}, so it is left out.`;
}

/** Lists the rows that are left out, and those that the user included. */
export function LeftOutRows({
  contribution,
  sheet,
  rows,
}: {
  contribution: Contribution;
  sheet: Sheet;
  rows: readonly CheckedRow[];
}) {
  const listed = rows.filter(({ row, state }) => state === 'left-out' || sheet.included.has(row.number));
  if (listed.length === 0) return null;
  const leftOut = listed.filter(({ state }) => state === 'left-out').length;
  return (
    <details class="small">
      <summary>{countText(leftOut, 'row')} left out</summary>
      <ul class="findings">
        {listed.map(({ row, state, reason }) => {
          const isLeftOut = state === 'left-out';
          const texts = row.cells.map(shownText).filter((text) => text !== '');
          return (
            <li key={row.number}>
              Row {row.number} ({texts.slice(0, 3).join(', ')}
              {texts.length > 3 && ', …'}):{' '}
              {isLeftOut ? (REASONS[reason ?? ''] ?? 'is no experiment') : 'is read because you chose it'}.{' '}
              <LinkButton
                onClick={() =>
                  contribution.change(() => (contribution.sheet.value = withRow(sheet, row.number, isLeftOut)))
                }
              >
                {isLeftOut ? 'Read this row' : 'Leave this row out'}
              </LinkButton>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
