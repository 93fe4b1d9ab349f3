import type { ComponentChildren, VNode } from 'preact';
import { countText, numberText } from '../format.ts';

/** The heading of a column; `number` is that of a column of numbers, `small` its unit or note. */
export type Head = string | VNode | { readonly number: ComponentChildren; readonly small?: string };

/** Returns the headings of columns of numbers. */
export const numberHeads = (...numbers: readonly ComponentChildren[]): Head[] => numbers.map((number) => ({ number }));

interface Props {
  /** The id of the heading of the table. */
  labelledBy?: string;
  label?: string;
  /** The headings of the columns. Without them, the children are the parts of the table; with them, they are its rows. */
  heads?: readonly Head[];
  children: ComponentChildren;
}

/** A table that scrolls horizontally if it is too wide. */
export function ScrollTable({ labelledBy, label, heads, children }: Props) {
  return (
    <div class="scroll" role="group" aria-label={label} aria-labelledby={labelledBy} tabIndex={0}>
      <table>
        {heads && <Heads of={heads} />}
        {heads ? <tbody>{children}</tbody> : children}
      </table>
    </div>
  );
}

export function Heads({ of }: { of: readonly Head[] }) {
  return (
    <thead>
      <tr>
        {of.map((head, at) =>
          typeof head === 'object' && 'number' in head ? (
            <th key={at} scope="col" class="number">
              {head.number}
              {head.small !== undefined && (
                <>
                  {' '}
                  <small>{head.small}</small>
                </>
              )}
            </th>
          ) : (
            <th key={at} scope="col">
              {head}
            </th>
          ),
        )}
      </tr>
    </thead>
  );
}

interface FoldedProps {
  labelledBy: string;
  heads: readonly Head[];
  rows: readonly VNode[];
  /** The number of rows that are always visible. */
  shown: number;
  /** Returns the text that opens the other rows. */
  restText: (count: number) => string;
}

/** A table of which the first rows are visible; a text opens the others. */
export function FoldedTable({ labelledBy, heads, rows, shown, restText }: FoldedProps) {
  const rest = rows.slice(shown);
  const restId = `other-${labelledBy}`;
  return (
    <>
      <ScrollTable labelledBy={labelledBy} heads={heads}>
        {rows.slice(0, shown)}
      </ScrollTable>
      {rest.length > 0 && (
        <details>
          <summary id={restId}>{restText(rest.length)}</summary>
          <ScrollTable labelledBy={restId} heads={heads}>
            {rest}
          </ScrollTable>
        </details>
      )}
    </>
  );
}

/** Returns the text that opens the other rows of a list, of which a page has `listed`. */
export function restText(count: number, noun: string, listed: number, total: number): string {
  return listed === total
    ? `Show the other ${countText(count, noun)}`
    : `Show the next ${countText(count, noun)} of ${numberText(total)}`;
}
