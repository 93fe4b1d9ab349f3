import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { guessedColumns } from '@esd/record/sheet/column-dimensions';
import { moveFocus } from '../../client/move-focus.ts';
import type { CheckedSheet, GridColumn } from '../../contribute/check-sheet.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import { choiceName, rememberHeading } from '../../contribute/heading-choices.ts';
import { type Sheet, withColumn, withUnit } from '../../contribute/sheet.ts';
import { columnLabel } from '../../contribute/sheet-columns.ts';
import { unitText } from './grid-cells.tsx';

export const chipId = (at: number): string => `heading-${at}`;

/** Lists the headings as chips; each opens a list of fields and units. */
export function HeadingStrip({
  contribution,
  sheet,
  columns,
}: {
  contribution: Contribution;
  sheet: Sheet;
  columns: CheckedSheet['columns'];
}) {
  const open = useSignal<number | undefined>(undefined);
  const close = (at: number): void => {
    open.value = undefined;
    moveFocus(chipId(at));
  };
  return (
    <ul class="strip" aria-label="Headings">
      {columns.map((column, at) => {
        const isOpen = open.value === at;
        return (
          <li key={column.index}>
            <button
              type="button"
              id={chipId(at)}
              class={`heading-chip ${column.state}`}
              aria-haspopup="listbox"
              aria-expanded={isOpen}
              // The list would close when it loses the focus, and the click would open it again.
              onMouseDown={(event) => {
                if (isOpen) event.preventDefault();
              }}
              onClick={() => {
                if (isOpen) close(at);
                else open.value = at;
              }}
            >
              <ChipText
                column={column}
                isRepeated={columns.some(({ index, heading }) => index !== column.index && heading === column.heading)}
                isRemembered={sheet.remembered.has(`@${column.at}`)}
              />
            </button>
            {isOpen && (
              <FieldList
                column={column}
                onChoose={({ unit, column: chosen = null }) => {
                  if (unit === undefined) rememberHeading(choiceName(column, columns), chosen);
                  contribution.change(() => {
                    contribution.sheet.value =
                      unit === undefined ? withColumn(sheet, column.at, chosen) : withUnit(sheet, column.at, unit);
                  });
                  close(at);
                }}
                onClose={(isKey) => {
                  if (isKey) close(at);
                  else open.value = undefined;
                }}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

interface ChipTextProps {
  column: GridColumn;
  isRepeated: boolean;
  isRemembered: boolean;
}

function ChipText({ column, isRepeated, isRemembered }: ChipTextProps) {
  const { at, heading, state, reads, candidates, choices, reason } = column;
  const named = isRepeated ? `${heading} (column ${at})` : heading;
  const written = heading === '' ? `(no heading, column ${at})` : named;
  const mark = isRemembered ? <i> as last time</i> : null;
  if (state === 'read' && reads !== null) {
    const { label } = columnLabel(reads);
    const unit = unitText(column);
    return (
      <>
        {written} → <b>{unit === undefined ? label : `${label}, ${unit}`}</b> ✓{mark}
      </>
    );
  }
  if (state === 'left-out') {
    return (
      <>
        {written} → left out{reason === 'hidden' && ' (hidden in the file)'}
        {mark}
      </>
    );
  }
  const labels = candidates.map((name) => columnLabel(name).label);
  const isUnit = choices.length > 0;
  const options = isUnit ? [...choices.slice(0, MAX_UNITS), ...(choices.length > MAX_UNITS ? ['…'] : [])] : labels;
  return (
    <>
      {written} → <b>{isUnit ? `choose the unit of ${labels.join('')}:` : 'choose:'}</b>{' '}
      {[...options, 'Leave out'].join(' · ')}
      {reason !== null && ` (${reason.startsWith('several') ? 'several headings mean this field' : reason})`}
      {mark}
    </>
  );
}

/** The maximum number of units on a chip; its list has all. */
const MAX_UNITS = 4;

/** A unit, or a column, or neither to leave the column out. */
interface Option {
  readonly unit?: string;
  readonly column?: string;
}

interface FieldListProps {
  column: GridColumn;
  onChoose: (option: Option) => void;
  onClose: (isKey: boolean) => void;
}

/** Lists the units and the candidates of a heading, "Leave out" and all other fields (the ARIA pattern of a listbox). */
function FieldList({ column: { at, heading, candidates, reads, state, units }, onChoose, onClose }: FieldListProps) {
  const others = guessedColumns.filter((name) => !candidates.includes(name));
  const asColumns = (names: readonly string[]): Option[] => names.map((name) => ({ column: name }));
  const options: readonly Option[] = [
    ...units.map((unit) => ({ unit })),
    ...asColumns(candidates),
    {},
    ...asColumns(others),
  ];
  const current = options.findIndex(({ column, unit }) => unit === undefined && (column ?? null) === reads);
  const active = useSignal(state === 'ask' ? 0 : Math.max(0, current));
  const typed = useRef({ text: '', at: -Infinity });
  const list = useRef<HTMLUListElement>(null);
  const idOf = (index: number): string => `field-${at}-${index}`;
  const labelOf = ({ unit, column }: Option): string =>
    unit ?? (column === undefined ? 'Leave out' : columnLabel(column).label);
  const isAtEnd = useSignal(false);
  useLayoutEffect(() => {
    const { right } = list.current?.getBoundingClientRect() ?? { right: 0 };
    isAtEnd.value = right > document.documentElement.clientWidth;
    moveFocus(list.current);
  }, [isAtEnd]);
  useLayoutEffect(() => {
    const option = document.getElementById(idOf(active.value));
    if (option && list.current) {
      // Scrolls the list alone.
      const { offsetTop, offsetHeight } = option;
      const { scrollTop, clientHeight } = list.current;
      if (offsetTop < scrollTop) list.current.scrollTop = offsetTop;
      else if (offsetTop + offsetHeight > scrollTop + clientHeight)
        list.current.scrollTop = offsetTop + offsetHeight - clientHeight;
    }
  });
  const search = (key: string, now: number): void => {
    const text = (now - typed.current.at < TYPING_MS ? typed.current.text : '') + key.toLowerCase();
    typed.current = { text, at: now };
    const match = options.findIndex((option) => labelOf(option).toLowerCase().startsWith(text));
    if (match >= 0) active.value = match;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = options.length - 1;
    const { key } = event;
    if (key === 'ArrowDown') active.value = Math.min(last, active.value + 1);
    else if (key === 'ArrowUp') active.value = Math.max(0, active.value - 1);
    else if (key === 'Home') active.value = 0;
    else if (key === 'End') active.value = last;
    else if (key === 'Enter') onChoose(options[active.value] ?? {});
    else if (key === 'Escape') onClose(true);
    else if (key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) search(key, event.timeStamp);
    else return;
    event.preventDefault();
  };
  return (
    <ul
      ref={list}
      class={isAtEnd.value ? 'popup fields-list at-end' : 'popup fields-list'}
      role="listbox"
      tabIndex={0}
      aria-label={`${units.length > 0 ? 'Unit or field' : 'Field'} for ${heading || `column ${at}`}`}
      aria-activedescendant={idOf(active.value)}
      onKeyDown={onKeyDown}
      onBlur={() => onClose(false)}
    >
      {options.map((option, index) => (
        <li
          key={index}
          id={idOf(index)}
          role="option"
          aria-selected={index === active.value}
          // A click would come after the list has lost the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(option);
          }}
        >
          {labelOf(option)}
        </li>
      ))}
    </ul>
  );
}

const TYPING_MS = 1_000;
