import { ALLOWANCES } from '@esd/api/allowances';

export interface Waiting {
  start(): void;
  refuse(): void;
}

/** As many clients as have a slot. So few waiting requests are no overload, however slow the machine is. */
export const FEW_WAITING = 64;
const INTERVAL_MS = 500;
/** In an overload, a request that has waited this many times the target is refused; its client may have given up. */
const LATE = 4;

/**
 * A queue in order of arrival. By the rule of CoDel (RFC 8289), there is an overload only while the smallest wait of the
 * last 500 ms exceeds the target. The queue is full then, because refusing a request at its arrival is cheapest. A burst or a pause
 * of the process makes requests wait, but is no overload; neither are 64 requests that wait.
 */
export class WaitingQueue {
  readonly #targetMs: number;
  // A map preserves the order of arrival, and removes any member in constant time.
  readonly #arrivals = new Map<Waiting, number>();
  #aboveSince: number | undefined;

  constructor(targetMs: number) {
    this.#targetMs = targetMs;
  }

  get size(): number {
    return this.#arrivals.size;
  }

  get isFull(): boolean {
    return this.size >= ALLOWANCES.overload.waiting.amount || (this.size > FEW_WAITING && this.#isOverloaded());
  }

  add(request: Waiting): void {
    this.#arrivals.set(request, performance.now());
  }

  delete(request: Waiting): void {
    this.#arrivals.delete(request);
  }

  /** Starts the request that has waited longest, and returns whether there is one. Refuses late ones in an overload. */
  startNext(): boolean {
    for (const request of this.#arrivals.keys()) {
      const waitedMs = this.#observe(request);
      if (this.size <= FEW_WAITING) this.#aboveSince = undefined;
      this.delete(request);
      if (this.#isOverloaded() && waitedMs > LATE * this.#targetMs) {
        request.refuse();
        continue;
      }
      request.start();
      return true;
    }
    this.#aboveSince = undefined;
    return false;
  }

  /** Refuses a request that waits longer than the target in an overload. */
  refuseIfLate(request: Waiting): void {
    this.#observe(request);
    if (!this.#isOverloaded()) return;
    this.delete(request);
    request.refuse();
  }

  /** Returns how long a request has waited, in milliseconds. */
  #observe(request: Waiting): number {
    const now = performance.now();
    const waitedMs = now - (this.#arrivals.get(request) ?? now);
    if (waitedMs <= this.#targetMs) this.#aboveSince = undefined;
    else this.#aboveSince ??= now;
    return waitedMs;
  }

  #isOverloaded(): boolean {
    return this.#aboveSince !== undefined && performance.now() - this.#aboveSince >= INTERVAL_MS;
  }
}
