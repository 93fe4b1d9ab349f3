import type { Response } from 'express';
import type { BodyOf, Operation, ParametersOf, QueryOf, ResponseOf } from '@esd/api/operation';
import type { Target } from '@esd/proto/peers';
import { jsonBody, optionalJsonBody } from './body/json-body.ts';
import { type Input, route, type Route } from './route.ts';

interface Handler<Declared extends Operation> {
  /** The targets that check the caller; caller assertions are requested for these. */
  targets?: readonly Target[];
  handle: (
    input: Input<QueryOf<Declared>, ParametersOf<Declared>, BodyOf<Declared>>,
    response: Response<ResponseOf<Declared>>,
  ) => Promise<void> | void;
}

/** Creates the route of an operation. */
export function serve<const Declared extends Operation>(
  declared: Declared,
  { targets, handle }: Handler<Declared>,
): Route {
  const { path, body, isBodyOptional, response: answer, ...operation }: Operation = declared;
  return route({
    ...operation,
    path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(body && { body: isBodyOptional ? optionalJsonBody(body) : jsonBody(body) }),
    answer,
    ...(targets && { targets }),
    handle: (input, response) =>
      handle(
        // The schemas of the operation determine both types.
        input as Input<QueryOf<Declared>, ParametersOf<Declared>, BodyOf<Declared>>,
        response as Response<ResponseOf<Declared>>,
      ),
  });
}
