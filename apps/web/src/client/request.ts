import { isObject } from '@esd/record/validate/is-object';
import { signal } from '@preact/signals';
import { countText, timeText } from '../format.ts';
import { type Notice, showNotice } from './shown-notices.ts';

/** An error response of the service, or a request without a response. */
export class RequestError extends Error {
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** The `code` of the error body, or NO_RESPONSE. */
  readonly code: string;
  readonly requestId: string | undefined;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(textOf(body, 'message') ?? messageOf(status));
    this.name = 'RequestError';
    this.status = status;
    this.code = textOf(body, 'code') ?? 'NO_RESPONSE';
    this.requestId = textOf(body, 'requestId');
    this.body = body;
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or undefined for an empty body. With `isFile`, a Blob if the status is below 400. */
  readonly body: unknown;
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly json?: unknown;
  /** Sent unchanged, instead of `json`. */
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a method other than GET can be repeated safely. */
  readonly isRepeatable?: true;
  readonly isFile?: true;
  /** Whether it is not retried and shows no notice, because no user waits for it or the page has a substitute. */
  readonly isBackground?: true;
  /** Whether it contains a password or code. The service counts each attempt, so a refused one is not repeated. */
  readonly hasPassword?: true;
  readonly signal?: AbortSignal;
  /** Time limit of one attempt. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 60_000;
const MAX_ATTEMPTS = 3;
const MAX_WAIT_S = 120;
const OFFLINE_RETRY_S = 10;

/**
 * Sends a request for JSON or a file. Retries after 429, unless it contains a password. A request that can be repeated safely (GET, an
 * Idempotency-Key, or `isRepeatable`) is also repeated once on a new connection, retried while the network is down, and after 503 for
 * at most three attempts. A notice on the page counts down the seconds.
 * Throws RequestError for any other error response, and an AbortError once `signal` is aborted.
 */
export async function request(address: string, options: RequestOptions = {}): Promise<Answer> {
  const loadedAt = new Date();
  let failures = 0;
  for (let attempt = 1; ; attempt += 1) {
    const response = await attemptOnce(address, options);
    if (response === undefined) {
      failures += 1;
      if (!isRepeatable(options) || (options.isBackground && failures > 1)) throw new RequestError(0, undefined);
      // The server may have closed the connection while it was idle.
      if (failures > 1) await untilOnline(loadedAt, options.signal);
      attempt = 0;
      continue;
    }
    if (response.status < 400) return response;
    const wait = secondsUntilRetry(response, attempt, options);
    if (wait === undefined) throw new RequestError(response.status, response.body);
    const reason = response.status === 429 ? 'Too many requests from this network.' : 'The service is busy.';
    await waiting(wait, (seconds) => `${reason} Retrying in ${countText(seconds, 'second')}.`, options);
  }
}

/** Sends a request once. Returns undefined if there is no response. */
async function attemptOnce(
  address: string,
  { method = 'GET', json, form, headers, isFile, signal: given, deadlineMs = DEADLINE_MS }: RequestOptions,
): Promise<Answer | undefined> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const sent = form ?? (json === undefined ? undefined : JSON.stringify(json));
  try {
    const response = await fetch(address, {
      method,
      headers: {
        Accept: isFile === true ? '*/*' : 'application/json',
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
      signal: given ? AbortSignal.any([given, deadline]) : deadline,
    });
    const body = isFile === true && response.ok ? await response.blob() : jsonOf(await response.text());
    return { status: response.status, headers: response.headers, body };
  } catch (error) {
    if (given?.aborted === true) throw error;
    return undefined;
  }
}

function isRepeatable({ method = 'GET', headers, isRepeatable: given }: RequestOptions): boolean {
  return method === 'GET' || given === true || headers?.['Idempotency-Key'] !== undefined;
}

/** Returns the time to wait before a retry, in seconds; undefined if the request must not be sent again. */
function secondsUntilRetry({ status, headers }: Answer, attempt: number, options: RequestOptions): number | undefined {
  if (options.isBackground === true || options.hasPassword === true) return undefined;
  const retryAfter = Number(headers.get('Retry-After') ?? 'NaN');
  if (status === 429) return retryAfter <= MAX_WAIT_S ? Math.max(retryAfter, 1) : undefined;
  if (status !== 503 || attempt >= MAX_ATTEMPTS || !isRepeatable(options)) return undefined;
  return Math.max(2 ** attempt, retryAfter <= MAX_WAIT_S ? retryAfter : 0);
}

async function untilOnline(loadedAt: Date, abort: AbortSignal | undefined): Promise<void> {
  const online = new AbortController();
  const text = `You are offline. This page shows data loaded at ${timeText(loadedAt)} and retries automatically.`;
  const hide = showNotice({ text, action: { label: 'Retry now', act: () => online.abort() } });
  addEventListener('online', () => online.abort(), { signal: online.signal });
  try {
    await pause(OFFLINE_RETRY_S, [online.signal, abort]);
  } finally {
    online.abort();
    hide();
  }
  abort?.throwIfAborted();
}

async function waiting(
  seconds: number,
  textFor: (seconds: number) => string,
  { signal: abort }: Pick<RequestOptions, 'signal'>,
): Promise<void> {
  const counting = signal(textFor(seconds));
  const notice: Notice = { text: textFor(seconds), counting };
  const hide = showNotice(notice);
  try {
    for (let left = seconds; left > 0 && abort?.aborted !== true; left -= 1) {
      counting.value = textFor(Math.ceil(left));
      await pause(Math.min(left, 1), [abort]);
    }
  } finally {
    hide();
  }
  abort?.throwIfAborted();
}

function pause(seconds: number, signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    for (const given of signals) given?.addEventListener('abort', end, { once: true });
  });
}

function jsonOf(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(body: unknown, name: 'code' | 'message' | 'requestId'): string | undefined {
  const value = isObject(body) ? body[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function messageOf(status: number): string {
  return status === 0
    ? 'The service did not respond. Your input is preserved; try again.'
    : `The service responded with status ${status}. Your input is preserved; try again.`;
}
