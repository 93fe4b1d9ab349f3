/** A signal that lets a loop sleep until there is work. A wake during work is not lost. */
export class Wake {
  #pending = false;
  #resume: (() => void) | undefined;

  /** Wakes the loop, or lets its next wait return immediately. */
  now(): void {
    this.#pending = true;
    this.#resume?.();
  }

  /** Resolves at the next wake, after `ms`, or when `signal` aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#pending && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          this.#resume = undefined;
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done);
        this.#resume = done;
      });
    }
    this.#pending = false;
  }
}
