import { setTimeout as sleep } from 'node:timers/promises';
import { member, text } from './json-value.ts';
import { StackError } from './stack-error.ts';

/** Maximum time over which one request is retried. */
const patienceMs = 120_000;
const requestMs = 60_000;
const firstPauseMs = 100;
const maxPauseMs = 5_000;

export interface Credentials {
  email: string;
  password: string;
}

/** A response; status 0 means that none arrived, and `body` is the error. */
export interface Answer {
  status: number;
  body: unknown;
}

/** A client of the public interface that retries for a limited time while the system is unavailable or overloaded. */
export class RetryingClient {
  readonly #url: string;
  readonly #signal: AbortSignal;
  #credentials: Credentials | undefined;
  #token: string | undefined;

  /** `signal` aborts every request and every wait. */
  constructor(url: string, signal: AbortSignal) {
    this.#url = url;
    this.#signal = signal;
  }

  /** Signs in for all later requests, and again whenever the session has ended. */
  async signIn(credentials: Credentials): Promise<'signed in' | 'unknown' | 'not confirmed'> {
    const answer = await this.send('POST', '/auth/login', JSON.stringify(credentials));
    if (answer.status === 401) return 'unknown';
    if (member(answer.body, 'code') === 'EMAIL_NOT_VERIFIED') return 'not confirmed';
    if (answer.status !== 200) throw unexpectedResponse('POST', '/auth/login', answer);
    this.#credentials = credentials;
    this.#token = text(member(answer.body, 'token'));
    return 'signed in';
  }

  /** Sends an idempotent request and retries it until there is a response. Throws a StackError after two minutes. */
  async send(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const deadline = Date.now() + patienceMs;
    for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, maxPauseMs)) {
      const answer = await this.sendOnce(method, path, body, headers);
      if (!isTemporary(answer)) return answer;
      if (Date.now() > deadline) throw unexpectedResponse(method, path, answer);
      await this.pause(pause);
    }
  }

  async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#signal });
  }

  /** Sends a request once. If `isTemporary` is true for the response, the request may or may not have taken effect. */
  async sendOnce(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const answer = await this.#attempt(method, path, body, headers);
    if (answer.status !== 401 || this.#credentials === undefined || path === '/auth/login') return answer;
    await this.signIn(this.#credentials);
    return this.#attempt(method, path, body, headers);
  }

  async #attempt(
    method: string,
    path: string,
    body: string | undefined,
    more: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    this.#signal.throwIfAborted();
    try {
      const response = await fetch(`${this.#url}${path}`, {
        method,
        headers: {
          ...more,
          ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(requestMs)]),
        ...(body === undefined ? {} : { body }),
      });
      const content = await response.text();
      return { status: response.status, body: isJson(response) ? JSON.parse(content) : content };
    } catch (error) {
      this.#signal.throwIfAborted();
      return { status: 0, body: String(error) };
    }
  }
}

export function isTemporary({ status }: Answer): boolean {
  return [0, 429, 502, 503, 504].includes(status);
}

export function unexpectedResponse(method: string, path: string, { status, body }: Answer): StackError {
  return new StackError(`${method} ${path} returned ${status}: ${JSON.stringify(body).slice(0, 1_000)}`);
}

function isJson(response: Response): boolean {
  return response.headers.get('content-type')?.includes('json') === true;
}
