import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { flattenedColumns } from '@esd/record/flatten/flatten';
import { moveFocus } from '../../client/move-focus.ts';
import type { CheckedSheet, GridColumn } from '../../contribute/check-sheet.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import { choiceName, rememberHeading } from '../../contribute/heading-choices.ts';
import { type Sheet, withColumn } from '../../contribute/sheet.ts';
import { columnLabel } from '../../contribute/sheet-columns.ts';

export const chipId = (at: number): string => `heading-${at}`;

/** Lists the headings as chips; each opens a list of fields. */
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
                onChoose={(chosen) => {
                  rememberHeading(choiceName(column, columns), chosen);
                  contribution.change(() => (contribution.sheet.value = withColumn(sheet, column.at, chosen)));
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
  const { at, heading, state, reads, unit, candidates, reason } = column;
  const named = isRepeated ? `${heading} (column ${at})` : heading;
  const written = heading === '' ? `(no heading, column ${at})` : named;
  const mark = isRemembered ? <i> as last time</i> : null;
  if (state === 'read' && reads !== null) {
    const field = columnLabel(reads);
    const usual = unit ?? field.unit;
    return (
      <>
        {written} → <b>{usual === undefined ? field.label : `${field.label}, ${usual}`}</b> ✓{mark}
      </>
    );
  }
  if (state === 'left-out') {
    return (
      <>
        {written} → left out{mark}
      </>
    );
  }
  const names = [...candidates.map((name) => columnLabel(name).label), 'Leave out'];
  return (
    <>
      {written} → <b>choose:</b> {names.join(' · ')}
      {reason !== null && ' (several headings mean this field)'}
      {mark}
    </>
  );
}

interface FieldListProps {
  column: GridColumn;
  /** Receives a column, or null to leave the column out. */
  onChoose: (column: string | null) => void;
  onClose: (isKey: boolean) => void;
}

/** Lists the candidates of a heading, "Leave out" and all other fields (the ARIA pattern of a listbox). */
function FieldList({ column: { at, heading, candidates, reads, state }, onChoose, onClose }: FieldListProps) {
  const others = flattenedColumns.filter((name) => !candidates.includes(name));
  const options: readonly (string | null)[] = [...candidates, null, ...others];
  const active = useSignal(state === 'ask' ? 0 : Math.max(0, options.indexOf(reads)));
  const typed = useRef({ text: '', at: -Infinity });
  const list = useRef<HTMLUListElement>(null);
  const idOf = (index: number): string => `field-${at}-${index}`;
  const labelOf = (name: string | null): string => (name === null ? 'Leave out' : columnLabel(name).label);
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
    const match = options.findIndex((name) => labelOf(name).toLowerCase().startsWith(text));
    if (match >= 0) active.value = match;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = options.length - 1;
    const { key } = event;
    if (key === 'ArrowDown') active.value = Math.min(last, active.value + 1);
    else if (key === 'ArrowUp') active.value = Math.max(0, active.value - 1);
    else if (key === 'Home') active.value = 0;
    else if (key === 'End') active.value = last;
    else if (key === 'Enter') onChoose(options[active.value] ?? null);
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
      aria-label={`Field for ${heading || `column ${at}`}`}
      aria-activedescendant={idOf(active.value)}
      onKeyDown={onKeyDown}
      onBlur={() => onClose(false)}
    >
      {options.map((name, index) => (
        <li
          key={name}
          id={idOf(index)}
          role="option"
          aria-selected={index === active.value}
          // A click would come after the list has lost the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(name);
          }}
        >
          {labelOf(name)}
        </li>
      ))}
    </ul>
  );
}

const TYPING_MS = 1_000;
