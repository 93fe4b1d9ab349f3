import type { ErrorBody } from '@esd/api/error-body';
import type { Method } from '@esd/api/operation';
import type { ParametersAt, PathOf, ResponseAt } from '@esd/api/operations';
import { isObject } from '@esd/record/validate/is-object';
import { type Answer, RequestError, type RequestOptions } from './request.ts';

/** Lists the problems of the single values in a refused request. */
export function problemsOf(error: unknown): NonNullable<ErrorBody['errors']> {
  const body: unknown = error instanceof RequestError ? error.body : undefined;
  // The body of every error has this type.
  return isObject(body) ? ((body as Partial<ErrorBody>).errors ?? []) : [];
}

/** Sends a request to a path below the root of the service. Throws RequestError. */
export type Send = (path: string, options?: RequestOptions) => Promise<Answer>;

interface OperationOptions<Used extends Method, Path> extends Omit<RequestOptions, 'method'> {
  readonly parameters?: ParametersAt<Used, Path>;
  /** Without the question mark. */
  readonly query?: string;
}

/**
 * Sends a request for an operation. The type of the body follows from the path. A page checks no more than that, because the gateway
 * declares the same type. Throws as `send` does, and an Error for a body that is no object.
 */
export async function call<Used extends Method, Path extends PathOf<Used>>(
  send: Send,
  method: Used,
  path: Path,
  { parameters, query = '', ...options }: OperationOptions<Used, Path> = {},
): Promise<Answer & { readonly body: ResponseAt<Used, Path> }> {
  const values = new Map<string, unknown>(Object.entries(parameters ?? {}));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.get(name))));
  const address = query === '' ? filled : `${filled}?${query}`;
  const response = await send(address, { ...options, method: METHODS[method] });
  return { ...response, body: bodyOf<Used, Path>(response) };
}

/** Returns the body of the response of an operation. Throws an Error for a body that is no object. */
export function bodyOf<Used extends Method, Path>({ body }: Pick<Answer, 'body'>): ResponseAt<Used, Path> {
  if (!isObject(body) && !Array.isArray(body)) throw new Error('the service returned no object');
  return body as ResponseAt<Used, Path>;
}

const METHODS = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;
