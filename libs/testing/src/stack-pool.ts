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

/** A line from a worker: first the lease of a stack, then calls on it. */
export type PoolRequest =
  | { lease: StackKind; file: string }
  | { call: 'kill' | 'start'; name: string }
  | { call: 'restart'; name: string };

export type PoolAnswer = { facts: StackFacts } | { done: true } | { error: string };

/** The stacks that the workers of a test run lease. Each starts at its first lease. */
export interface StackPool {
  path: string;
  close(): Promise<void>;
}

type Supervised = Awaited<ReturnType<typeof startSupervised>> & { time: SharedTime | undefined };

/**
 * The stacks of one kind: at most `max`, each leased to one worker at a time unless the kind is shared. A stack stops when no file of the
 * run needs it, because an idle one takes a tenth of a processor.
 */
class KindOfStack {
  readonly started = new Set<Promise<Supervised>>();
  #shared: Promise<Supervised> | undefined;
  readonly #name: StackKind;
  readonly #kind: KindOptions;
  /** The kind of its stacks after their first use. */
  readonly #used: KindOfStack;
  readonly #free: Promise<Supervised>[] = [];
  readonly #waiting: ((stack: Promise<Supervised>) => void)[] = [];
  /** Number of stacks, including those that were of another kind. */
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

  /** Starts a stack. A failed start fails only this lease; the next lease starts another one. */
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

  /** Restores a stack whose test may have killed or suspended processes, and makes it available to the next worker. */
  release(stack: Supervised): void {
    if (this.isShared) return;
    const used = this.#used;
    if (used !== this && used.#waiting.length === 0 && used.#count >= Math.min(used.#kind.max, filesLeft(used.#name))) {
      end(stack);
      return;
    }
    const restored = stack.control.restore().then(() => stack);
    restored.catch(() => undefined);
    if (used !== this) used.#count += 1;
    const next = used.#waiting.shift();
    if (next === undefined) used.#free.push(restored);
    else next(restored);
  }

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

function openKinds(): Map<string, KindOfStack> {
  const moderated = new KindOfStack('moderated', STACK_KINDS.moderated);
  const names = Object.keys(STACK_KINDS) as StackKind[]; // Safe cast: these are its keys.
  return new Map(
    names.map((name) => [
      name,
      name === 'moderated'
        ? moderated
        : new KindOfStack(name, STACK_KINDS[name], name === 'fresh' ? moderated : undefined),
    ]),
  );
}

/** Opens the stack pool of this test run. Starts no stack before the first lease. */
export async function openStackPool(): Promise<StackPool> {
  const folder = await mkdtemp(join(tmpdir(), 'esd-stacks-'));
  const path = join(folder, 'pool.sock');
  const kinds = openKinds();
  const sockets = new Set<Socket>();
  const stopListening = onFileEnded(() => {
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
      stopListening();
      server.close();
      for (const socket of sockets) socket.destroy();
      const started = await Promise.allSettled([...kinds.values()].flatMap(({ started }) => [...started]));
      const stacks = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      await Promise.all(stacks.map(({ control }) => control.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Serves one lease. It ends when the connection closes, which includes a crash of the worker. */
async function serve(socket: Socket, kinds: ReadonlyMap<string, KindOfStack>): Promise<void> {
  const send = (answer: PoolAnswer): unknown => socket.write(`${JSON.stringify(answer)}\n`);
  let leased: { kind: KindOfStack; stack: Supervised; file: string } | undefined;
  try {
    for await (const line of createInterface({ input: socket })) {
      const request = JSON.parse(line) as PoolRequest; // written by leased-stack.ts, the only client
      try {
        if ('lease' in request) {
          const kind = kinds.get(request.lease);
          if (kind === undefined) throw new Error(`"${request.lease}" is not a kind of stack`);
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
  } catch {}
  if (leased === undefined) return;
  const { kind, stack, file } = leased;
  kind.release(stack);
  // The use of a shared stack ends with its test file.
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
