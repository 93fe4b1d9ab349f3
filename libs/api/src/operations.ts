import type * as moderation from './moderation.ts';
import type { Method, Operation, ParametersOf, ResponseOf } from './operation.ts';

type Declared = Extract<(typeof moderation)[keyof typeof moderation], Operation>;

/** The paths that have an operation with this method. */
export type PathOf<Used extends Method> = Extract<Declared, { method: Used }>['path'];

type At<Used extends Method, Path> = Extract<Declared, { method: Used; path: Path }>;

/** The values in place of the parameters of a path. */
export type ParametersAt<Used extends Method, Path> = ParametersOf<At<Used, Path>>;

/** The body of the response of an operation. */
export type ResponseAt<Used extends Method, Path> = ResponseOf<At<Used, Path>>;
