/** A state with a sign, which people see without colors. */
export function Badge({ of: [kind, sign, text] }: { of: readonly [kind: string, sign: string, text: string] }) {
  return (
    <span class={`badge ${kind}`}>
      <i aria-hidden="true">{sign}</i>
      {text}
    </span>
  );
}
