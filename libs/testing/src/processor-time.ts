import { readFileSync, readdirSync } from 'node:fs';
import { setInterval } from 'node:timers';

/** Clock ticks per second in /proc; 100 on every Linux that Node supports. */
const TICKS = 100;

/** Sampling interval. The time that a process uses after its last sample is not counted. */
const SAMPLE_MS = 250;

/** Returns the processor seconds of a process and of its exited children. Linux only. */
export function processorSeconds(pid: number | 'self'): { own: number; ofEnded: number; parent: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0] = fields.slice(1, 2);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { own: (user + system) / TICKS, ofEnded: (endedUser + endedSystem) / TICKS, parent };
  } catch {
    return undefined;
  }
}

/** Divides the processor time of a server equally among the test files that use it at the same time. */
export class SharedTime {
  readonly byFile = new Map<string, number>();
  /** Seconds during which no test file used the server. */
  idle = 0;
  readonly #roots: () => readonly number[];
  readonly #users = new Set<string>();
  readonly #seconds = new Map<number, number>();
  #shared = 0;
  readonly #timer = setInterval(() => this.#share(), SAMPLE_MS).unref();

  /** `roots` returns the processes of the server; their descendants count too. */
  constructor(roots: () => readonly number[]) {
    this.#roots = roots;
  }

  begin(file: string): void {
    // The time before the first sample belongs to the first user, which started the server.
    if (this.#seconds.size > 0) this.#share();
    this.#users.add(file);
    this.#share();
  }

  end(file: string): void {
    this.#share();
    this.#users.delete(file);
  }

  close(): void {
    this.#share();
    clearInterval(this.#timer);
  }

  #share(): void {
    for (const pid of trees(this.#roots())) {
      const seconds = processorSeconds(pid);
      if (seconds !== undefined) this.#seconds.set(pid, seconds.own);
    }
    const total = [...this.#seconds.values()].reduce((sum, seconds) => sum + seconds, 0);
    const used = total - this.#shared;
    this.#shared = total;
    if (this.#users.size === 0) this.idle += used;
    for (const file of this.#users) this.byFile.set(file, (this.byFile.get(file) ?? 0) + used / this.#users.size);
  }
}

function trees(roots: readonly number[]): Set<number> {
  const found = new Set(roots);
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: processorSeconds(Number(name))?.parent }));
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { pid, parent } of parents) if (parent !== undefined && found.has(parent)) found.add(pid);
  }
  return found;
}
