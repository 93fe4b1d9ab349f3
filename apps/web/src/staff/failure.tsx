import { problemText } from '../client/form.ts';

export function Failure({ error, again }: { error: unknown; again?: (() => void) | undefined }) {
  if (error === undefined) return null;
  return (
    <div class="note bad" role="alert">
      <p>{problemText(error)}</p>
      {again && (
        <button type="button" class="link" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}
