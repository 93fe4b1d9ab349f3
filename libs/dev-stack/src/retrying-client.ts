import { setTimeout as sleep } from 'node:timers/promises';
import { member, text } from './json-value.ts';
import { StackError } from './stack-error.ts';

/** The longest time for which the system may say "later" to one request. */
const patienceMs = 120_000;
const requestMs = 60_000;
const firstPauseMs = 100;
const maxPauseMs = 5_000;

export interface Credentials {
  email: string;
  password: string;
}

/** Status 0: no answer came. */
export interface Answer {
  status: number;
  body: unknown;
}

/** A client of the public interface that waits for a system which is away or overloaded, within bounds. */
export class RetryingClient {
  readonly #url: string;
  readonly #signal: AbortSignal;
  #credentials: Credentials | undefined;
  #token: string | undefined;

  /** `signal` ends every request and every wait. */
  constructor(url: string, signal: AbortSignal) {
    this.#url = url;
    this.#signal = signal;
  }

  /** Signs in, for this and all later requests, again whenever the session has ended. */
  async signIn(credentials: Credentials): Promise<'signed in' | 'unknown' | 'not confirmed'> {
    const answer = await this.send('POST', '/auth/login', JSON.stringify(credentials));
    if (answer.status === 401) return 'unknown';
    if (member(answer.body, 'code') === 'EMAIL_NOT_VERIFIED') return 'not confirmed';
    if (answer.status !== 200) throw refused('POST', '/auth/login', answer);
    this.#credentials = credentials;
    this.#token = text(member(answer.body, 'token'));
    return 'signed in';
  }

  /** Sends a request that may be repeated, until there is an answer. Throws a StackError when there is none for long. */
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
      if (Date.now() > deadline) throw refused(method, path, answer);
      await this.pause(pause);
    }
  }

  /** Waits. */
  async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#signal });
  }

  /** Sends a request once. An answer for which `isTemporary` is true does not say whether it took effect. */
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

/** True when the system was away or overloaded, so that the same request may succeed later. */
export function isTemporary({ status }: Answer): boolean {
  return [0, 429, 502, 503, 504].includes(status);
}

/** The error for an answer that is not the one wanted. */
export function refused(method: string, path: string, { status, body }: Answer): StackError {
  return new StackError(`${method} ${path} was answered with ${status}: ${JSON.stringify(body).slice(0, 1_000)}`);
}

function isJson(response: Response): boolean {
  return response.headers.get('content-type')?.includes('json') === true;
}
