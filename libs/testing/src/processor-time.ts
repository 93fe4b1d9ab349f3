import { readFileSync, readdirSync } from 'node:fs';
import { setInterval } from 'node:timers';

/** The clock ticks of a second in /proc, which are 100 on every Linux that Node runs on. */
const TICKS = 100;

/** How often the processes are read: what a process used after the last reading before its end is lost. */
const SAMPLE_MS = 250;

/** Processor seconds of a process: its own, and those of its children that have ended. Linux only. */
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
    // The process has ended.
    return undefined;
  }
}

/** Shares the processor time of a server among the test files that use it at the same time, in equal parts. */
export class SharedTime {
  readonly byFile = new Map<string, number>();
  /** Used while no file used it. */
  idle = 0;
  readonly #roots: () => readonly number[];
  readonly #users = new Set<string>();
  readonly #seconds = new Map<number, number>();
  #shared = 0;
  readonly #timer = setInterval(() => this.#share(), SAMPLE_MS).unref();

  /** `roots`: the processes of the server, whose descendants count too. */
  constructor(roots: () => readonly number[]) {
    this.#roots = roots;
  }

  begin(file: string): void {
    // The first user has started the server.
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

/** Processes with all their descendants. */
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
