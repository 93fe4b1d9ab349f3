/** Collects the k smallest numbers, each with its slot. Of equal numbers, the first one wins. */
export class KSmallest {
  readonly #k: number;
  /** Ascending. */
  readonly #kept: { value: number; place: number }[] = [];
  /** Only numbers below it are collected. */
  bound = Infinity;

  constructor(k: number) {
    this.#k = k;
  }

  add(value: number, place: number): void {
    if (this.#kept.length === this.#k && value >= this.bound) return;
    let [low, high] = [0, this.#kept.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#kept[middle]?.value ?? 0) <= value) low = middle + 1;
      else high = middle;
    }
    this.#kept.splice(low, 0, { value, place });
    if (this.#kept.length > this.#k) this.#kept.pop();
    if (this.#kept.length === this.#k) this.bound = this.#kept.at(-1)?.value ?? Infinity;
  }

  list(): readonly { value: number; place: number }[] {
    return this.#kept;
  }
}
