import * as z from 'zod/mini';
import { type Answer, RequestError } from './request.ts';

// Compiling a schema needs eval, which the content security policy forbids.
z.config({ jitless: true });

/** Parses the body of a response. Throws an Error if it has another shape. */
export function read<Shape extends z.ZodMiniType>(shape: Shape, { body }: Pick<Answer, 'body'>): z.output<Shape> {
  return z.parse(shape, body);
}

export function pageOf<Item extends z.ZodMiniType>(item: Item) {
  return z.object({ data: z.array(item), total: z.number() });
}

const problems = z.object({ errors: z.array(z.object({ path: z.string(), message: z.string() })) });

/** Lists the errors of the single values in a refused request. */
export function problemsOf(error: unknown): readonly { readonly path: string; readonly message: string }[] {
  const found = error instanceof RequestError ? z.safeParse(problems, error.body) : undefined;
  return found?.success === true ? found.data.errors : [];
}
