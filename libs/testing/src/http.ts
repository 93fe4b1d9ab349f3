export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  /** Objects are sent as JSON. */
  body?: string | Buffer | object;
  bearer?: string;
  /** Limit for the whole response; the default is 120 s. */
  timeoutMs?: number;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body if its content type is JSON. */
  json: unknown;
}

const READS = ['GET', 'HEAD', 'OPTIONS'];

/** Calls `fetch`. Repeats a read that got a connection which the server closed while it was idle, as browsers do. */
export async function retryingFetch(url: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const { cause } = error instanceof Error ? error : { cause: undefined };
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const isClosed = code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
    if (!isClosed || !READS.includes(init.method ?? 'GET')) throw error;
    return await fetch(url, init);
  }
}

/** Sends one HTTP request and reads the whole response. Does not follow redirects. */
export async function request(url: string, options: RequestOptions = {}): Promise<Answer> {
  const { method = 'GET', body, bearer, timeoutMs = 120_000 } = options;
  const headers = new Headers();
  if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`);
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
  if (isJson) headers.set('content-type', 'application/json');
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  const response = await retryingFetch(url, {
    method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body }),
  });
  const text = await response.text();
  const parses = text !== '' && /[/+]json\b/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, text, json: parses ? JSON.parse(text) : undefined };
}
