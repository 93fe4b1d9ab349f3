import { createServer, type Socket } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type KindOptions, STACK_KINDS, type StackKind } from './stack-kinds.ts';
import { filesLeft, onFileEnded } from './stack-plan.ts';
import { type StackControl, type StackFacts, startSupervised } from './stack.ts';
import type { SharedTime } from './processor-time.ts';
import { measureServer } from './test-profile.ts';

/** A line that a worker sends: first which kind of stack a test file needs, then what is to be done with it. */
export type PoolRequest =
  | { lease: StackKind; file: string }
  | { call: 'kill' | 'start'; name: string }
  | { call: 'restart'; name: string };

/** The answer to each line. */
export type PoolAnswer = { facts: StackFacts } | { done: true } | { error: string };

/** The stacks that the workers of one test run lease, one after the other; started when they are first wanted. */
export interface StackPool {
  /** The Unix socket on which it listens. */
  path: string;
  /** Ends every stack. */
  close(): Promise<void>;
}

type Supervised = Awaited<ReturnType<typeof startSupervised>> & { time: SharedTime | undefined };

/**
 * The stacks of one kind: at most `max` of them, each leased to one worker at a time unless the kind is shared. A stack that no file of
 * the run needs any more is stopped, since an idle one takes a tenth of a processor.
 */
class KindOfStack {
  /** Every stack that was started, for the end of the run. */
  readonly started = new Set<Promise<Supervised>>();
  /** The one that all files use, if the kind is shared. */
  #shared: Promise<Supervised> | undefined;
  readonly #name: StackKind;
  readonly #kind: KindOptions;
  /** The kind that its stacks are of once they were used. */
  readonly #used: KindOfStack;
  readonly #free: Promise<Supervised>[] = [];
  readonly #waiting: ((stack: Promise<Supervised>) => void)[] = [];
  /** How many there are, with those that were of another kind. */
  #count = 0;

  constructor(name: StackKind, kind: KindOptions, used?: KindOfStack) {
    this.#name = name;
    this.#kind = kind;
    this.#used = used ?? this;
  }

  get isShared(): boolean {
    return this.#kind.shared === true;
  }

  async lease(): Promise<Supervised> {
    if (this.isShared) return (this.#shared ??= this.#start());
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#count >= this.#kind.max) return new Promise((resolve) => this.#waiting.push(resolve));
    return this.#start();
  }

  /** A new stack. One that does not start fails only who asked for it: the next who asks gets another. */
  #start(): Promise<Supervised> {
    const stack = startSupervised(this.#kind.options).then((started) => {
      return { ...started, time: measureServer(`${this.#name} stack`, started.control.pids) };
    });
    this.started.add(stack);
    this.#count += 1;
    stack.catch(() => {
      this.started.delete(stack);
      this.#shared = undefined;
      this.#count -= 1;
      this.#waiting.shift()?.(this.#start());
    });
    return stack;
  }

  /** Restores a stack whose test may have left processes down or stopped, and leaves it to the next worker. */
  release(stack: Supervised): void {
    if (this.isShared) return;
    const used = this.#used;
    if (used !== this && used.#waiting.length === 0 && used.#count >= Math.min(used.#kind.max, filesLeft(used.#name))) {
      end(stack);
      return;
    }
    const restored = stack.control.restore().then(() => stack);
    // Who leases it next learns why it is not there.
    restored.catch(() => undefined);
    if (used !== this) used.#count += 1;
    const next = used.#waiting.shift();
    if (next === undefined) used.#free.push(restored);
    else next(restored);
  }

  /** Stops free stacks while there are more than files that need one. */
  stopSurplus(): void {
    if (filesLeft(this.#name) === 0) {
      this.#shared?.then(end, () => undefined);
      this.#shared = undefined;
    }
    while (this.#free.length > 0 && this.#count > filesLeft(this.#name)) {
      this.#count -= 1;
      this.#free.pop()?.then(end, () => undefined);
    }
  }
}

function end({ control }: Supervised): void {
  control.stop().catch((error: unknown) => console.error(error));
}

/** All kinds by name. */
function openKinds(): Map<string, KindOfStack> {
  const moderated = new KindOfStack('moderated', STACK_KINDS.moderated);
  const names = Object.keys(STACK_KINDS) as StackKind[]; // its keys
  return new Map(
    names.map((name) => [
      name,
      name === 'moderated'
        ? moderated
        : new KindOfStack(name, STACK_KINDS[name], name === 'fresh' ? moderated : undefined),
    ]),
  );
}

/** Opens the pool of stacks of this test run. Nothing is started before it is wanted. */
export async function openStackPool(): Promise<StackPool> {
  const folder = await mkdtemp(join(tmpdir(), 'esd-stacks-'));
  const path = join(folder, 'pool.sock');
  const kinds = openKinds();
  const sockets = new Set<Socket>();
  const forget = onFileEnded(() => {
    for (const kind of kinds.values()) kind.stopSurplus();
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    void serve(socket, kinds);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  return {
    path,
    close: async () => {
      forget();
      server.close();
      for (const socket of sockets) socket.destroy();
      const started = await Promise.allSettled([...kinds.values()].flatMap(({ started }) => [...started]));
      const stacks = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      await Promise.all(stacks.map(({ control }) => control.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Serves one lease, which ends with the connection, however the worker ends. */
async function serve(socket: Socket, kinds: ReadonlyMap<string, KindOfStack>): Promise<void> {
  const send = (answer: PoolAnswer): unknown => socket.write(`${JSON.stringify(answer)}\n`);
  let leased: { kind: KindOfStack; stack: Supervised; file: string } | undefined;
  try {
    for await (const line of createInterface({ input: socket })) {
      const request = JSON.parse(line) as PoolRequest; // written by leased-stack.ts, the only client
      try {
        if ('lease' in request) {
          const kind = kinds.get(request.lease);
          if (kind === undefined) throw new Error(`there is no kind of stack ${request.lease}`);
          leased = { kind, stack: await kind.lease(), file: request.file };
          leased.stack.time?.begin(request.file);
          send({ facts: leased.stack.facts });
        } else if (leased !== undefined) {
          await run(leased.stack.control, request);
          send({ done: true });
        }
      } catch (error) {
        send({ error: String(error) });
      }
    }
  } catch {
    // The connection broke, which ends the lease as its end does.
  }
  if (leased === undefined) return;
  const { kind, stack, file } = leased;
  kind.release(stack);
  // Those who use a shared stack end with their file.
  if (!kind.isShared) stack.time?.end(file);
}

function run(control: StackControl, request: Exclude<PoolRequest, { lease: StackKind }>): Promise<void> {
  switch (request.call) {
    case 'kill':
      return control.kill(request.name);
    case 'start':
      return control.start(request.name);
    case 'restart':
      return control.restart(request.name);
  }
}
