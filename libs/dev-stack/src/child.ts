import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReservedPort } from './free-port.ts';
import { StackError } from './stack-error.ts';

export interface ChildSpec {
  /** Name in the terminal, in `stack.json` and of the log file, for example `gateway` or `gateway-2`. */
  name: string;
  /** Group in the order of stopping: gateways first, servers last. */
  tier: 'gateway' | 'service' | 'server';
  /** The ports reserved for it; they are released at its first start. */
  ports: ReservedPort[];
  command: string;
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  logFile: string;
  /** The signal for a graceful stop; SIGKILL follows after `graceSeconds`. */
  stopSignal: 'SIGTERM' | 'SIGINT';
  graceSeconds: number;
  /** The user to run as; requires root. */
  user?: { uid: number; gid: number };
  /** Resolves to true when the process with this id is ready. Called repeatedly during the start. */
  probe: (pid: number) => Promise<boolean>;
  /** Ends the subprocesses that outlive the process. Called before its first start and after each exit. */
  endSubprocesses?: () => Promise<void>;
}

const watchdog = readFileSync(new URL('watchdog.sh', import.meta.url), 'utf8');
const probeIntervalMs = 25;
const startAttempts = 3;
const firstBackOffMs = 200;
const maxBackOffMs = 5_000;
/** A process that ran at least this long is restarted without delay. */
const stableMs = 30_000;
const maxLogBytes = 20 * 1024 * 1024;

/** A supervised process that is restarted whenever it exits by itself. */
export class Child {
  readonly spec: ChildSpec;
  readonly #say: (line: string) => void;
  readonly #changed: () => void;
  #process: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #wanted = false;
  #ready = false;
  #failures = 0;
  #backOff: NodeJS.Timeout | undefined;

  constructor(spec: ChildSpec, say: (line: string) => void, changed: () => void) {
    this.spec = spec;
    this.#say = say;
    this.#changed = changed;
  }

  /** The process id; undefined while the process is not running. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Starts the process and waits until it is ready. Throws a StackError with its log after three exits or `timeoutMs`. */
  async start(signal: AbortSignal, timeoutMs = 120_000): Promise<void> {
    const { name, ports, logFile } = this.spec;
    await this.spec.endSubprocesses?.();
    await Promise.all(ports.map((reserved) => reserved.release()));
    this.#wanted = true;
    this.#ready = false;
    this.#failures = 0;
    this.#spawn();
    const deadline = Date.now() + timeoutMs;
    while (!(await this.#works())) {
      signal.throwIfAborted();
      if (this.#failures >= startAttempts) throw new StackError(`${name} does not start. ${await endOf(logFile)}`);
      if (!this.#wanted) throw new StackError(`${name} was stopped while it started.`);
      if (Date.now() > deadline) {
        throw new StackError(`${name} is not ready after ${timeoutMs / 1000} s. ${await endOf(logFile)}`);
      }
      await sleep(probeIntervalMs);
    }
    signal.throwIfAborted();
    this.#ready = true;
  }

  /** Reports whether the running process is ready. If the process has exited, another process answered the probe. */
  async #works(): Promise<boolean> {
    const { pid } = this;
    return pid !== undefined && (await this.spec.probe(pid)) && this.pid === pid;
  }

  /** Stops the process, with SIGKILL after its grace period, and waits until it and its subprocesses have exited. */
  async stop(): Promise<void> {
    await this.#end(this.spec.stopSignal);
  }

  /** Kills the process with SIGKILL and waits until it and its subprocesses have exited. It is not restarted. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#backOff);
    const running = this.#process;
    running?.kill(signal);
    const force = setTimeout(() => running?.kill('SIGKILL'), this.spec.graceSeconds * 1000);
    // A process suspended by SIGSTOP would not receive the signal.
    running?.kill('SIGCONT');
    await this.#exited;
    clearTimeout(force);
  }

  #spawn(): void {
    const { command, args, cwd, env, logFile, stopSignal, graceSeconds, user } = this.spec;
    const log = openLog(logFile);
    const startedAt = Date.now();
    const child = spawn(
      '/bin/sh',
      ['-c', watchdog, 'watchdog', stopSignal.slice(3), String(graceSeconds), command, ...args],
      {
        cwd,
        env,
        stdio: ['ignore', log, log, 'pipe'],
        // Its own process group: Ctrl-C reaches only the launcher, which then stops the processes in order.
        detached: true,
        ...user,
      },
    );
    closeSync(log);
    const pipe = child.stdio[3];
    if (pipe instanceof Writable) pipe.on('error', () => undefined);
    this.#process = child;
    const exit = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, killedBy) => resolve(killedBy === null ? `code ${code}` : `signal ${killedBy}`));
    });
    this.#exited = exit.then(async (how) => {
      const ranMs = Date.now() - startedAt;
      this.#process = undefined;
      if (pipe instanceof Writable) pipe.end('ended\n');
      this.#changed();
      await this.spec.endSubprocesses?.().catch((error: unknown) => this.#say(String(error)));
      if (this.#wanted) this.#startAgain(how, ranMs);
    });
    this.#changed();
  }

  #startAgain(how: string, ranMs: number): void {
    this.#failures = ranMs > stableMs ? 0 : this.#failures + 1;
    if (!this.#ready && this.#failures >= startAttempts) {
      this.#wanted = false;
      return;
    }
    const delay = this.#failures === 0 ? 0 : Math.min(firstBackOffMs * 2 ** (this.#failures - 1), maxBackOffMs);
    this.#say(`${this.spec.name} ended (${how}), restarting in ${delay / 1000} s; log: ${this.spec.logFile}`);
    this.#backOff = setTimeout(() => this.#spawn(), delay);
  }
}

function openLog(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxLogBytes) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}

async function endOf(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, 2_000));
    await handle.read(buffer, 0, buffer.length, Math.max(0, size - buffer.length));
    const lines = buffer.toString('utf8').trimEnd().split('\n').slice(-8);
    return `Last lines of ${file}:\n${lines.map((line) => `    ${line}`).join('\n')}`;
  } finally {
    await handle.close();
  }
}
