import * as z from 'zod/mini';
import { RequestError } from '../client/ask.ts';
import { problemText } from '../client/form.ts';

const problems = z.object({ errors: z.array(z.object({ path: z.string(), message: z.string() })) });

/** What is wrong with single values of a request, by the path of the value. */
export function problemsOf(error: unknown): readonly { readonly path: string; readonly message: string }[] {
  const found = error instanceof RequestError ? z.safeParse(problems, error.body) : undefined;
  return found?.success === true ? found.data.errors : [];
}

/** Says what went wrong, if something did. */
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
