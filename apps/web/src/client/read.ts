import * as z from 'zod/mini';
import type { Answer } from './request.ts';

// Compiling a schema needs eval, which the content security policy forbids.
z.config({ jitless: true });

/** Parses the body of a response. Throws an Error if it has another shape. */
export function read<Shape extends z.ZodMiniType>(shape: Shape, { body }: Pick<Answer, 'body'>): z.output<Shape> {
  return z.parse(shape, body);
}
