import type { ComponentChildren, VNode } from 'preact';

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
        {of.map((head, at) => {
          const isNumber = typeof head === 'object' && 'number' in head;
          return (
            <th key={at} scope="col" class={isNumber ? 'number' : undefined}>
              {isNumber ? head.number : head}
              {isNumber && head.small !== undefined && [' ', <small key="small">{head.small}</small>]}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
