import { request, type RequestOptions } from '@esd/testing/http';
import { checkAnswer } from './contract.ts';
import { eventually } from '@esd/testing/eventually';

/** A response of the interface with its whole body. */
export type Answer = Awaited<ReturnType<typeof request>>;

/** Calls the interface of one stack, at the root or under another base. Each response is checked against the OpenAPI document. */
export interface Api {
  url: string;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  head(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, body: object | string | Buffer, options?: RequestOptions): Promise<Answer>;
  put(path: string, body: object | string | Buffer, options?: RequestOptions): Promise<Answer>;
  patch(path: string, body: object | string | Buffer, options?: RequestOptions): Promise<Answer>;
  delete(path: string, options?: RequestOptions): Promise<Answer>;
}

/** Returns the client for the interface at `base`, such as `http://localhost:8080/api`. */
export function apiAt(base: string): Api {
  return {
    url: base,
    get: (path, options) => call(base + path, options),
    head: (path, options) => call(base + path, { ...options, method: 'HEAD' }),
    post: (path, body, options) => call(base + path, { ...options, method: 'POST', body }),
    put: (path, body, options) => call(base + path, { ...options, method: 'PUT', body }),
    patch: (path, body, options) => call(base + path, { ...options, method: 'PATCH', body }),
    delete: (path, options) => call(base + path, { ...options, method: 'DELETE' }),
  };
}

/** Whether the response refuses an analysis because test files in parallel, from one address, use up its share. */
export const isShareUsedUp = (text: string): boolean => text.includes('analyses at a time');

/** Whether the response refuses a file because the service has built it for 10 s. */
const isBeingBuilt = (text: string): boolean => text.includes('The file is being built');

async function call(url: string, options: RequestOptions = {}): Promise<Answer> {
  const answer = await eventually(
    () => request(url, options),
    ({ status, text }) => !(status === 429 && isShareUsedUp(text)) && !(status === 503 && isBeingBuilt(text)),
  );
  await checkAnswer(url, options.method ?? 'GET', answer);
  return answer;
}
