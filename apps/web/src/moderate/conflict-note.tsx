import { useLayoutEffect, useRef } from 'preact/hooks';
import { moveFocus } from '../client/move-focus.ts';
import { LinkButton } from '../parts/buttons.tsx';
import type { Moderation } from './moderation.ts';

/** Reports what happened to a decision that was not carried out. */
export function ConflictNote({ desk }: { desk: Moderation }) {
  const { note } = desk;
  const box = useRef<HTMLDivElement>(null);
  const shown = note.value;
  useLayoutEffect(() => {
    if (shown) moveFocus(box.current);
  }, [shown]);
  if (!shown) return null;
  const { title, text, recordId } = shown;
  return (
    <div class="note" role="status" ref={box} tabIndex={-1}>
      <p>
        <b>{title}</b> {text}{' '}
        {recordId !== undefined && <LinkButton onClick={() => desk.go({ recordId })}>Show the record</LinkButton>}{' '}
        <LinkButton onClick={desk.dismiss}>Close</LinkButton>
      </p>
    </div>
  );
}
