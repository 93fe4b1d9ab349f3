import { request, type RequestOptions } from '@esd/testing/http';

/** An answer of the interface, read to its end. */
export type Answer = Awaited<ReturnType<typeof request>>;

/** Calls the interface of one stack, at the root or under another base. */
export interface Api {
  url: string;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  head(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, body: object | string | Buffer, options?: RequestOptions): Promise<Answer>;
}

/** The calls of the interface at `base`, such as `http://localhost:8080/api`. */
export function apiAt(base: string): Api {
  return {
    url: base,
    get: (path, options) => request(base + path, options),
    head: (path, options) => request(base + path, { ...options, method: 'HEAD' }),
    post: (path, body, options) => request(base + path, { ...options, method: 'POST', body }),
  };
}
