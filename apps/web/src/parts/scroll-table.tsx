import type { ComponentChildren } from 'preact';

/** A table that scrolls horizontally if it is too wide. `labelledBy` is the id of its heading. */
export function ScrollTable({ labelledBy, children }: { labelledBy: string; children: ComponentChildren }) {
  return (
    <div class="scroll" role="group" aria-labelledby={labelledBy} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}
