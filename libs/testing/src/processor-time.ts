import { readFileSync, readdirSync } from 'node:fs';
import { setInterval } from 'node:timers';

/** Clock ticks per second in /proc; 100 on every Linux that Node supports. */
const TICKS = 100;

/** Sampling interval. The time that a process uses after its last sample is not counted. */
const SAMPLE_MS = 1_000;

export interface ProcessSeconds {
  own: number;
  /** The processor seconds of exited children. */
  ofEnded: number;
  parent: number;
}

/** Returns the processor seconds of a process. Linux only. */
export function processorSeconds(pid: number | 'self'): ProcessSeconds | undefined {
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

const measured = new Set<SharedTime>();
let timer: NodeJS.Timeout | undefined;

/** Divides the processor time of a server equally among the test files that use it at the same time. */
export class SharedTime {
  readonly byFile = new Map<string, number>();
  /** Seconds during which no test file used the server. */
  idle = 0;
  readonly #roots: () => readonly number[];
  readonly #users = new Set<string>();
  readonly #seconds = new Map<number, number>();
  #shared = 0;

  /** `roots` returns the processes of the server; their descendants count too. */
  constructor(roots: () => readonly number[]) {
    this.#roots = roots;
    measured.add(this);
    timer ??= setInterval(() => {
      const processes = processTable();
      for (const server of measured) server.#share(processes);
    }, SAMPLE_MS).unref();
  }

  begin(file: string): void {
    // The time before the first sample belongs to the first user, which started the server.
    if (this.#seconds.size > 0) this.#share(processTable());
    this.#users.add(file);
    this.#share(processTable());
  }

  end(file: string): void {
    if (!this.#users.has(file)) return;
    this.#share(processTable());
    this.#users.delete(file);
  }

  close(): void {
    this.#share(processTable());
    measured.delete(this);
  }

  #share(processes: ReadonlyMap<number, ProcessSeconds>): void {
    for (const pid of treesOf(this.#roots(), processes)) {
      const seconds = processes.get(pid);
      if (seconds !== undefined) this.#seconds.set(pid, seconds.own);
    }
    const total = [...this.#seconds.values()].reduce((sum, seconds) => sum + seconds, 0);
    const used = total - this.#shared;
    this.#shared = total;
    if (this.#users.size === 0) this.idle += used;
    for (const file of this.#users) this.byFile.set(file, (this.byFile.get(file) ?? 0) + used / this.#users.size);
  }
}

/** Returns the processor seconds of all processes of this machine. */
export function processTable(): Map<number, ProcessSeconds> {
  const processes = new Map<number, ProcessSeconds>();
  for (const name of readdirSync('/proc')) {
    const seconds = /^\d+$/.test(name) ? processorSeconds(Number(name)) : undefined;
    if (seconds !== undefined) processes.set(Number(name), seconds);
  }
  return processes;
}

/** Returns the processes `roots` with their descendants. */
export function treesOf(roots: readonly number[], processes: ReadonlyMap<number, ProcessSeconds>): Set<number> {
  const trees = new Set(roots);
  for (let before = -1; before !== trees.size;) {
    before = trees.size;
    for (const [pid, { parent }] of processes) if (trees.has(parent)) trees.add(pid);
  }
  return trees;
}
