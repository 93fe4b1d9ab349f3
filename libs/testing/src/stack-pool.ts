import { createServer, type Socket } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type KindOptions, STACK_KINDS, type StackKind } from './stack-kinds.ts';
import { type StackControl, type StackFacts, startSupervised } from './stack.ts';

/** A line that a worker sends: first which kind of stack it wants, then what is to be done with it. */
export type PoolRequest =
  | { lease: StackKind }
  | { call: 'kill' | 'start'; name: string }
  | { call: 'restart'; name: string; checkout?: string };

/** The answer to each line. */
export type PoolAnswer = { facts: StackFacts } | { done: true } | { error: string };

/** The stacks that the workers of one test run lease, one after the other; started when they are first wanted. */
export interface StackPool {
  /** The Unix socket on which it listens. */
  path: string;
  /** Ends every stack. */
  close(): Promise<void>;
}

type Supervised = Awaited<ReturnType<typeof startSupervised>>;

/** The stacks of one kind: at most `max` of them, each leased to one worker at a time unless the kind is shared. */
class KindOfStack {
  readonly started = new Set<Promise<Supervised>>();
  readonly #kind: KindOptions;
  /** The kind that its stacks are of once they were used. */
  readonly #used: KindOfStack;
  readonly #free: Promise<Supervised>[] = [];
  readonly #waiting: ((stack: Promise<Supervised>) => void)[] = [];
  /** How many there are, with those that were of another kind. */
  #count = 0;

  constructor(kind: KindOptions, used?: KindOfStack) {
    this.#kind = kind;
    this.#used = used ?? this;
  }

  async lease(): Promise<Supervised> {
    const [first] = this.started;
    if (this.#kind.shared && first !== undefined) return first;
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#count >= this.#kind.max) return new Promise((resolve) => this.#waiting.push(resolve));
    return this.#start();
  }

  /** A new stack. One that does not start fails only who asked for it: the next who asks gets another. */
  #start(): Promise<Supervised> {
    const stack = startSupervised(this.#kind.options);
    this.started.add(stack);
    this.#count += 1;
    stack.catch(() => {
      this.started.delete(stack);
      this.#count -= 1;
      this.#waiting.shift()?.(this.#start());
    });
    return stack;
  }

  /**
   * Puts a stack right whose test may have left processes down or stopped, and keeps it for the next worker. One that would be
   * more than its kind may have is ended: each that is idle takes a tenth of a processor.
   */
  giveBack(stack: Supervised): void {
    if (this.#kind.shared) return;
    const used = this.#used;
    if (used !== this && used.#waiting.length === 0 && used.#count >= used.#kind.max) {
      stack.control.stop().catch((error: unknown) => console.error(error));
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
}

/** All kinds by name. */
function openKinds(): Map<string, KindOfStack> {
  const { fresh, ...others } = STACK_KINDS;
  const kinds = new Map(Object.entries(others).map(([name, kind]) => [name, new KindOfStack(kind)]));
  return kinds.set('fresh', new KindOfStack(fresh, kinds.get('moderated')));
}

/** Opens the pool of stacks of this test run. Nothing is started before it is wanted. */
export async function openStackPool(): Promise<StackPool> {
  const folder = await mkdtemp(join(tmpdir(), 'esd-stacks-'));
  const path = join(folder, 'pool.sock');
  const kinds = openKinds();
  const sockets = new Set<Socket>();
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
  let leased: { kind: KindOfStack; stack: Supervised } | undefined;
  try {
    for await (const line of createInterface({ input: socket })) {
      const request = JSON.parse(line) as PoolRequest; // written by leased-stack.ts, the only client
      try {
        if ('lease' in request) {
          const kind = kinds.get(request.lease);
          if (kind === undefined) throw new Error(`there is no kind of stack ${request.lease}`);
          leased = { kind, stack: await kind.lease() };
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
  leased?.kind.giveBack(leased.stack);
}

function run(control: StackControl, request: Exclude<PoolRequest, { lease: StackKind }>): Promise<void> {
  switch (request.call) {
    case 'kill':
      return control.kill(request.name);
    case 'start':
      return control.start(request.name);
    case 'restart':
      return control.restart(request.name, request.checkout);
  }
}
