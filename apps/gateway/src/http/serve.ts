import type { Response } from 'express';
import type { BodyOf, Operation, ParametersOf, QueryOf, ResponseOf } from '@esd/api/operation';
import type { Target } from '@esd/proto/peers';
import { jsonBody, optionalJsonBody } from './body/json-body.ts';
import { type BodyReader, type Input, route, type Route } from './route.ts';

interface Handler<Declared extends Operation, Body> {
  /** The targets that check the caller; caller assertions are requested for these. */
  targets?: readonly Target[];
  /** Reads a body that is not JSON, or that another service checks. */
  body?: BodyReader<Body>;
  handle: (
    input: Input<QueryOf<Declared>, ParametersOf<Declared>, Body>,
    response: Response<ResponseOf<Declared>>,
  ) => Promise<void> | void;
}

/** Creates the route of an operation. */
export function serve<const Declared extends Operation, Body = BodyOf<Declared>>(
  declared: Declared,
  { targets, body: reader, handle }: Handler<Declared, Body>,
): Route {
  const { path, body, isBodyOptional, response: responseSchema, ...operation }: Operation = declared;
  const jsonReader = body && (isBodyOptional ? optionalJsonBody(body) : jsonBody(body));
  const bodyReader: BodyReader<unknown> | undefined = reader ?? jsonReader;
  return route({
    ...operation,
    path: path.replaceAll(/\{(\*?)(\w+)\}/g, (_, isWildcard: string, name: string) => `${isWildcard || ':'}${name}`),
    ...(bodyReader && { body: bodyReader }),
    ...(responseSchema && { answer: responseSchema }),
    ...(targets && { targets }),
    handle: (input, response) =>
      handle(
        // The schemas of the operation determine both types.
        input as Input<QueryOf<Declared>, ParametersOf<Declared>, Body>,
        response as Response<ResponseOf<Declared>>,
      ),
  });
}
