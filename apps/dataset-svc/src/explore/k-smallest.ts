/** Collects the k smallest numbers, each with an item. Of equal numbers, the first one wins. */
export class KSmallest {
  readonly #k: number;
  /** Ascending. */
  readonly #smallest: { value: number; item: number }[] = [];
  /** Only numbers below it are collected. */
  bound = Infinity;

  constructor(k: number) {
    this.#k = k;
  }

  add(value: number, item: number): void {
    if (this.#smallest.length === this.#k && value >= this.bound) return;
    let [low, high] = [0, this.#smallest.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#smallest[middle]?.value ?? 0) <= value) low = middle + 1;
      else high = middle;
    }
    this.#smallest.splice(low, 0, { value, item });
    if (this.#smallest.length > this.#k) this.#smallest.pop();
    if (this.#smallest.length === this.#k) this.bound = this.#smallest.at(-1)?.value ?? Infinity;
  }

  list(): readonly { value: number; item: number }[] {
    return this.#smallest;
  }
}
