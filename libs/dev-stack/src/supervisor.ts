import { Child, type ChildSpec } from './child.ts';

export class Supervisor {
  readonly #children = new Map<string, Child>();
  readonly #signal: AbortSignal;
  readonly #say: (line: string) => void;
  readonly #changed: (processes: Record<string, number>) => void;

  /** `signal` aborts every start. `changed` is called synchronously with the ids of the running processes by name. */
  constructor(signal: AbortSignal, say: (line: string) => void, changed: (processes: Record<string, number>) => void) {
    this.#signal = signal;
    this.#say = say;
    this.#changed = changed;
  }

  /** Starts a process and waits until it is ready. Throws as `Child.start` does. */
  async start(spec: ChildSpec): Promise<void> {
    this.#signal.throwIfAborted();
    const child = new Child(spec, this.#say, () => this.#changed(this.processes()));
    this.#children.set(spec.name, child);
    await child.start(this.#signal);
  }

  /** Returns a process by name. Throws if it does not exist. */
  child(name: string): Child {
    const child = this.#children.get(name);
    if (child === undefined)
      throw new Error(`There is no process ${name}. The processes are ${[...this.#children.keys()].join(', ')}.`);
    return child;
  }

  processes(): Record<string, number> {
    return Object.fromEntries(
      [...this.#children].flatMap(([name, { pid }]) => (pid === undefined ? [] : [[name, pid]])),
    );
  }

  /** Stops the gateways first, so that requests complete, then the services, then the servers. Frees their ports. */
  async stop(): Promise<void> {
    for (const tier of ['gateway', 'service', 'server']) {
      const children = [...this.#children.values()].filter(({ spec }) => spec.tier === tier);
      await Promise.all(children.map((child) => child.stop()));
    }
    const ports = [...this.#children.values()].flatMap(({ spec }) => spec.ports);
    await Promise.all(ports.map((reserved) => reserved.free()));
  }
}
