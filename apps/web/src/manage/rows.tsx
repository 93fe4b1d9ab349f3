import type { ComponentChildren } from 'preact';
import { numberText } from '../format.ts';
import { ScrollTable } from '../parts/scroll-table.tsx';
import { Failure } from '../staff/failure.tsx';
import { LinkButton } from '../parts/buttons.tsx';

interface Props {
  labelledBy: string;
  heads: readonly string[];
  /** The text instead of an empty table. */
  none: string;
  shown: number | undefined;
  total: number;
  isLoading: boolean;
  error: unknown;
  reload: () => void;
  more?: (() => void) | undefined;
  children: ComponentChildren;
}

export function Rows({ labelledBy, heads, none, shown, total, isLoading, error, reload, more, children }: Props) {
  return (
    <div aria-busy={isLoading} class="rows">
      <Failure error={error} again={reload} />
      {shown === undefined && error === undefined && <p class="muted">Loading…</p>}
      {shown === 0 && <p class="muted">{none}</p>}
      {shown !== undefined && shown > 0 && (
        <ScrollTable labelledBy={labelledBy} heads={heads}>
          {children}
        </ScrollTable>
      )}
      {shown !== undefined && shown > 0 && (
        <p class="small muted" role="status">
          {shown === total
            ? `Showing all ${numberText(total)}.`
            : `Showing ${numberText(shown)} of ${numberText(total)}.`}{' '}
          {more && <LinkButton onClick={more}>Show more</LinkButton>}
        </p>
      )}
    </div>
  );
}
