import * as z from 'zod/mini';
import { type Answer, RequestError } from './request.ts';

// The content security policy forbids code made from text, and browsers report each try.
z.config({ jitless: true });

/** The body of an answer in the shape that is expected. Throws an Error for any other one. */
export function read<Shape extends z.ZodMiniType>(shape: Shape, { body }: Pick<Answer, 'body'>): z.output<Shape> {
  return z.parse(shape, body);
}

/** The items of a page of a list, and how many there are in all. */
export function pageOf<Item extends z.ZodMiniType>(item: Item) {
  return z.object({ data: z.array(item), total: z.number() });
}

const problems = z.object({ errors: z.array(z.object({ path: z.string(), message: z.string() })) });

/** Lists the errors of single values of a refused request, by the path of the value. */
export function problemsOf(error: unknown): readonly { readonly path: string; readonly message: string }[] {
  const found = error instanceof RequestError ? z.safeParse(problems, error.body) : undefined;
  return found?.success === true ? found.data.errors : [];
}
