/** The problem of a form; nothing without one. */
export function Problem({ of }: { of: string | undefined }) {
  return of === undefined ? null : (
    <p class="error" role="alert">
      {of}
    </p>
  );
}
