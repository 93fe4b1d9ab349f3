import type { VNode } from 'preact';
import { countText, numberText } from '../format.ts';
import { type Head, ScrollTable } from './scroll-table.tsx';

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
