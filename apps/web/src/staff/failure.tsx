import { problemText } from '../client/form.ts';
import { LinkButton } from '../parts/buttons.tsx';

export function Failure({ error, again }: { error: unknown; again?: (() => void) | undefined }) {
  if (error === undefined) return null;
  return (
    <div class="note bad" role="alert">
      <p>{problemText(error)}</p>
      {again && <LinkButton onClick={again}>Try again</LinkButton>}
    </div>
  );
}
