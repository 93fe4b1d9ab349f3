import { ALLOWANCES } from '@esd/api/allowances';
import { CALL_LIMIT_DEFAULTS } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { counter, gauge, onScrape, startAtZero } from '../health/metrics.ts';
import type { ServiceName } from '../names/services.ts';
import { WaitingQueue } from './waiting-queue.ts';

export interface CallLimitConfig {
  /** Maximum unary calls in flight from this process to one service. */
  ESD_UPSTREAM_CONCURRENCY: number;
  /** The wait for a free slot, in milliseconds, that every call of 500 ms must exceed before calls are refused. */
  ESD_UPSTREAM_WAIT_MS: number;
}

/** The limits of the calls from this process, one for each service. */
export type CallLimits = (service: ServiceName) => CallLimit;

export interface LimitedCall {
  /** Whether the call uses the reserved slots. */
  isReserved?: boolean | undefined;
  /** A call whose signal aborts leaves the queue. */
  signal?: AbortSignal | undefined;
}

const MIN_RETRY_SECONDS = 1;
const MAX_RETRY_SECONDS = 3;
const BUDGET_SECONDS = 10;

const { reserved, retries, minRetries } = ALLOWANCES.overload;

/** Returns a random `Retry-After` in seconds, so that refused clients do not return at the same time. */
export function retryAfterSeconds(): number {
  return MIN_RETRY_SECONDS + Math.floor(Math.random() * (MAX_RETRY_SECONDS - MIN_RETRY_SECONDS + 1));
}

/** A request was refused before any work, because too many calls to a service, or too many requests, wait. */
export class Overloaded extends ServiceError {
  /** Undefined if this process itself has too much to do. */
  readonly limit: CallLimit | undefined;

  constructor(limit?: CallLimit) {
    const seconds = retryAfterSeconds();
    const message = `The service handles as many requests as it can at the moment; try again in ${seconds} s.`;
    // The stack of a refusal would cost as much as its response, and no log contains it.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super('UNAVAILABLE', message, { retryAfterSeconds: seconds });
    Error.stackTraceLimit = stackTraceLimit;
    this.limit = limit;
  }
}

/** Creates the limits of a process. Clients of the same service share one. */
export function callLimits(config: CallLimitConfig = CALL_LIMIT_DEFAULTS): CallLimits {
  const limits = new Map<ServiceName, CallLimit>();
  const [inFlight, waiting] = [gauge('esd_rpc_client_in_flight'), gauge('esd_rpc_client_waiting')];
  onScrape('calls', () => {
    for (const [target, limit] of limits) {
      inFlight.set({ target }, limit.inFlight);
      waiting.set({ target }, limit.waiting);
    }
  });
  return (service) => {
    let limit = limits.get(service);
    if (!limit) limits.set(service, (limit = new CallLimit(service, config)));
    return limit;
  };
}

/**
 * Bounds the unary calls from this process to one service: a number of slots, a queue in order of arrival whose calls wait
 * for a limited time, the same for reserved calls, and a budget for retries.
 */
export class CallLimit {
  readonly service: ServiceName;
  readonly #open: Lane;
  readonly #reserved: Lane;
  readonly #retries = new RetryBudget();
  // Registered here, because services that call no other have no such metrics.
  readonly #metrics = { shed: counter('esd_rpc_client_shed_total'), retries: counter('esd_rpc_client_retries_total') };

  constructor(service: ServiceName, { ESD_UPSTREAM_CONCURRENCY, ESD_UPSTREAM_WAIT_MS }: CallLimitConfig) {
    this.service = service;
    this.#open = new Lane(ESD_UPSTREAM_CONCURRENCY, ESD_UPSTREAM_WAIT_MS);
    this.#reserved = new Lane(reserved.amount, ESD_UPSTREAM_WAIT_MS);
    startAtZero('esd_rpc_client_shed_total', { target: service });
    startAtZero('esd_rpc_client_retries_total', { target: service });
  }

  /** Whether a call that is not reserved would be refused immediately. */
  get isFull(): boolean {
    return this.#open.isFull;
  }

  get inFlight(): number {
    return this.#open.inFlight + this.#reserved.inFlight;
  }

  get waiting(): number {
    return this.#open.waiting + this.#reserved.waiting;
  }

  /** Runs a call when a slot is free. Throws Overloaded if the queue is full, or refuses the call. */
  async run<Result>({ isReserved = false, signal }: LimitedCall, start: () => Promise<Result>): Promise<Result> {
    const lane = isReserved ? this.#reserved : this.#open;
    if (!lane.take()) {
      const refusal = await lane.wait(signal);
      if (refusal === 'aborted') throw new ServiceError('UNAVAILABLE', 'The caller disconnected.');
      if (refusal !== undefined) {
        this.#metrics.shed.inc({ target: this.service, reason: refusal });
        throw new Overloaded(this);
      }
    }
    try {
      return await start();
    } finally {
      lane.release();
    }
  }

  /** Counts a call toward the budget of retries. */
  countCall(): void {
    this.#retries.countCall();
  }

  /** Takes a retry from the budget. Returns false if it is used up. */
  takeRetry(): boolean {
    const isAllowed = this.#retries.take();
    this.#metrics.retries.inc({ target: this.service, result: isAllowed ? 'sent' : 'denied' });
    return isAllowed;
  }
}

type Outcome = 'full' | 'late' | 'aborted' | undefined;

class Lane {
  readonly #slots: number;
  readonly #waitMs: number;
  readonly #queue: WaitingQueue;
  inFlight = 0;

  constructor(slots: number, waitMs: number) {
    this.#slots = slots;
    this.#waitMs = waitMs;
    this.#queue = new WaitingQueue(waitMs);
  }

  get waiting(): number {
    return this.#queue.size;
  }

  get isFull(): boolean {
    return this.#queue.isFull;
  }

  take(): boolean {
    if (this.inFlight >= this.#slots) return false;
    this.inFlight += 1;
    return true;
  }

  /** Waits for a slot and takes it. Returns undefined, or the reason why the call did not get one. */
  wait(signal: AbortSignal | undefined): Promise<Outcome> {
    if (this.isFull) return Promise.resolve('full');
    return new Promise((resolve) => {
      const end = (outcome: Outcome): void => {
        this.#queue.delete(call);
        clearInterval(timer);
        signal?.removeEventListener('abort', abort);
        resolve(outcome);
      };
      const abort = (): void => end('aborted');
      const call = { start: () => end(undefined), refuse: () => end('late') };
      // A service that does not respond frees no slot.
      const timer = setInterval(() => this.#queue.refuseIfLate(call), this.#waitMs);
      this.#queue.add(call);
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Passes the slot to the call that has waited longest. */
  release(): void {
    if (!this.#queue.startNext()) this.inFlight -= 1;
  }
}

/** Allows retries for a share of the calls of the last 10 s. */
class RetryBudget {
  readonly #calls = new RecentCount(BUDGET_SECONDS);
  readonly #retries = new RecentCount(BUDGET_SECONDS);

  countCall(): void {
    this.#calls.add();
  }

  take(): boolean {
    const max = Math.max((retries.amount / 100) * this.#calls.total(), minRetries.amount);
    if (this.#retries.total() >= max) return false;
    this.#retries.add();
    return true;
  }
}

/** Counts the events of the last seconds, including the current one. */
class RecentCount {
  readonly #seconds: number[];
  #now = 0;

  constructor(seconds: number) {
    this.#seconds = new Array<number>(seconds).fill(0);
  }

  add(): void {
    this.#advance();
    const at = this.#now % this.#seconds.length;
    this.#seconds[at] = (this.#seconds[at] ?? 0) + 1;
  }

  total(): number {
    this.#advance();
    return this.#seconds.reduce((sum, count) => sum + count, 0);
  }

  #advance(): void {
    const now = Math.floor(performance.now() / 1000);
    const passed = Math.min(now - this.#now, this.#seconds.length);
    for (let second = now - passed + 1; second <= now; second += 1) this.#seconds[second % this.#seconds.length] = 0;
    this.#now = now;
  }
}
