export interface Waiting {
  start(): void;
  refuse(): void;
}

const MAX_WAITING = 256;
/** As many clients as have a slot. So few waiting requests are no overload, however slow the machine is. */
const FEW = 64;
const INTERVAL_MS = 500;

/**
 * A queue in order of arrival. By the rule of CoDel (RFC 8289), it refuses requests only if the smallest wait of the last
 * 500 ms exceeds the target. A burst or a pause of the process makes requests wait, but is no overload; neither
 * are 64 requests that wait.
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
    return this.size >= MAX_WAITING;
  }

  add(request: Waiting): void {
    this.#arrivals.set(request, performance.now());
  }

  delete(request: Waiting): void {
    this.#arrivals.delete(request);
  }

  /** Starts the request that has waited longest, and returns whether there is one. Refuses those that wait in an overload. */
  startNext(): boolean {
    for (const request of this.#arrivals.keys()) {
      if (this.size <= FEW) this.#aboveSince = undefined;
      else if (this.refuseIfLate(request)) continue;
      this.delete(request);
      request.start();
      return true;
    }
    this.#aboveSince = undefined;
    return false;
  }

  /** Refuses a request if it has waited too long in an overload. Returns whether it did. */
  refuseIfLate(request: Waiting): boolean {
    const now = performance.now();
    if (now - (this.#arrivals.get(request) ?? now) <= this.#targetMs) this.#aboveSince = undefined;
    else this.#aboveSince ??= now;
    const isLate = this.#aboveSince !== undefined && now - this.#aboveSince >= INTERVAL_MS;
    if (isLate) {
      this.delete(request);
      request.refuse();
    }
    return isLate;
  }
}
