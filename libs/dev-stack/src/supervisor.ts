import { Child, type ChildSpec } from './child.ts';

/** The processes of one stack. */
export class Supervisor {
  readonly #children = new Map<string, Child>();
  readonly #signal: AbortSignal;
  readonly #say: (line: string) => void;
  readonly #changed: (processes: Record<string, number>) => void;

  /**
   * `signal` ends every wait for a start. `changed` is called with the ids of the running processes, by name, at each change,
   * before anything else can happen.
   */
  constructor(signal: AbortSignal, say: (line: string) => void, changed: (processes: Record<string, number>) => void) {
    this.#signal = signal;
    this.#say = say;
    this.#changed = changed;
  }

  /** Starts a process and waits until it does its work; throws as `Child.start` does. */
  async start(spec: ChildSpec): Promise<void> {
    this.#signal.throwIfAborted();
    const child = new Child(spec, this.#say, () => this.#changed(this.processes()));
    this.#children.set(spec.name, child);
    await child.start(this.#signal);
  }

  /** A process by name; throws when there is none of that name. */
  child(name: string): Child {
    const child = this.#children.get(name);
    if (child === undefined) throw new Error(`no process ${name}; there are ${[...this.#children.keys()].join(', ')}`);
    return child;
  }

  /** Ids of the running processes by name. */
  processes(): Record<string, number> {
    return Object.fromEntries(
      [...this.#children].flatMap(([name, { pid }]) => (pid === undefined ? [] : [[name, pid]])),
    );
  }

  /** Ends every process: the gateways, so that requests end whole, then the services, then the servers. Their ports are free then. */
  async stop(): Promise<void> {
    for (const tier of ['gateway', 'service', 'server']) {
      const children = [...this.#children.values()].filter(({ spec }) => spec.tier === tier);
      await Promise.all(children.map((child) => child.stop()));
    }
    const ports = [...this.#children.values()].flatMap(({ spec }) => spec.ports);
    await Promise.all(ports.map((held) => held.free()));
  }
}
