import { signal } from '@preact/signals';
import { timeText } from '../format.ts';
import { type Notice, showNotice } from './shown-notices.ts';

/** What the service refused, or that it could not be reached. */
export class RequestError extends Error {
  /** Of the answer; 0 where there was none. */
  readonly status: number;
  /** The `code` of the error's body, or NO_ANSWER. */
  readonly code: string;
  readonly requestId: string | undefined;
  /** The whole body of the error. */
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(textOf(body, 'message') ?? messageOf(status));
    this.name = 'RequestError';
    this.status = status;
    this.code = textOf(body, 'code') ?? 'NO_ANSWER';
    this.requestId = textOf(body, 'requestId');
    this.body = body;
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON; undefined for an empty answer. A Blob where one was asked for and the status is below 400. */
  readonly body: unknown;
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, instead of `json`. */
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
  /** Asking twice does no harm, though it is no GET. */
  readonly isRepeatable?: true;
  /** The answer is a file, not JSON. */
  readonly isFile?: true;
  readonly signal?: AbortSignal;
  /** How long one attempt may take. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 60_000;
const MAX_ATTEMPTS = 3;
const MAX_WAIT_S = 120;
const OFFLINE_RETRY_S = 10;

/**
 * Asks the service for JSON, or a file. It waits while the network is away (if asking twice does no harm: GET, an Idempotency-Key, or `isRepeatable`), where the
 * service is busy (503, three times) and where this network asked too often (429), and says so at the foot of the page. Throws
 * RequestError for any other refusal, and an AbortError once `signal` is aborted.
 */
export async function request(address: string, options: RequestOptions = {}): Promise<Answer> {
  const loadedAt = new Date();
  for (let attempt = 1; ; attempt += 1) {
    const answer = await attemptOnce(address, options);
    if (answer === undefined) {
      if (!isRepeatable(options)) throw new RequestError(0, undefined);
      await untilOnline(loadedAt, options.signal);
      attempt = 0;
      continue;
    }
    if (answer.status < 400) return answer;
    const wait = secondsUntilRetry(answer, attempt, options);
    if (wait === undefined) throw new RequestError(answer.status, answer.body);
    const [before, after] =
      answer.status === 429
        ? ['Too many requests from this network. Waiting', ', then going on.']
        : ['The service is busy. Trying again in', '.'];
    await waiting(wait, (seconds) => `${before} ${seconds} ${seconds === 1 ? 'second' : 'seconds'}${after}`, options);
  }
}

/** One attempt; undefined where there was no answer. */
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

/** How long to wait before the same request; undefined where it makes no sense. */
function secondsUntilRetry({ status, headers }: Answer, attempt: number, options: RequestOptions): number | undefined {
  const asked = Number(headers.get('Retry-After') ?? 'NaN');
  if (status === 429) return asked <= MAX_WAIT_S ? Math.max(asked, 1) : undefined;
  if (status !== 503 || attempt >= MAX_ATTEMPTS || !isRepeatable(options)) return undefined;
  return Math.max(2 ** attempt, asked <= MAX_WAIT_S ? asked : 0);
}

async function untilOnline(loadedAt: Date, abort: AbortSignal | undefined): Promise<void> {
  const online = new AbortController();
  const text = `You are offline. This page still shows what it loaded at ${timeText(loadedAt)}. It tries again by itself.`;
  const hide = showNotice({ text, action: { label: 'Try now', act: () => online.abort() } });
  addEventListener('online', () => online.abort(), { signal: online.signal });
  try {
    await pause(OFFLINE_RETRY_S, [online.signal, abort]);
  } finally {
    online.abort();
    hide();
  }
  abort?.throwIfAborted();
}

/** Waits, counting the seconds where people see it. */
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

/** Ends after some seconds, or with the first of the signals. */
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
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : undefined;
}

function messageOf(status: number): string {
  return status === 0
    ? 'The service did not answer. What you typed is kept; try again.'
    : `The service answered with status ${status}. What you typed is kept; try again.`;
}
