import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { References } from '@esd/record/reference/reference';
import { ServiceError } from '@esd/service/errors';
import { fairQueue, type QueuedWork } from '@esd/background/fair-queue';
import type { Logger } from '@esd/service/health/log';
import type { ParseOutcome } from './parse-file.ts';
import type { ParseJob } from './parse-worker.ts';

export type ParsedFile = Pick<ParseJob, 'path' | 'form' | 'options'>;

/** The threads that parse files. A file that exceeds the limits ends its thread, not the process. */
export interface ParseWorkers {
  /**
   * Parses a local file when it is the client's turn. The file occupies its slot until it is parsed, even if the client
   * disconnects. Throws PAYLOAD_TOO_LARGE beyond the time or memory limit of a thread, and the errors of the fair
   * queue.
   */
  parse(file: ParsedFile, references: References, queued: QueuedWork): Promise<ParseOutcome>;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 30_000;
/** On a busy machine, a file takes longer than its processor time. */
const WALL_FACTOR = 6;
const SCRIPT = new URL('./parse-worker.ts', import.meta.url);

interface ParseThread {
  /** Rejects if the thread ends or exceeds its limit of processor time. */
  parse(file: ParsedFile, references: References): Promise<ParseOutcome>;
  end(): Promise<void>;
}

/**
 * Starts at most two threads on demand, and replaces each thread that ends. `limits` applies to each file: its processor
 * time, and the heap of its thread. A large allocation at the heap limit would end the process (see decision 16), so the
 * readers limit the size of each allocation themselves.
 */
export function openParseWorkers(log: Logger, limits = { timeMs: 10_000, heapMegabytes: 192 }): ParseWorkers {
  const queue = fairQueue({ queue: 'sheets' });
  const idle: ParseThread[] = [];
  const all = new Set<ParseThread>();
  let stopped = false;
  const start = (): ParseThread => {
    const thread = startThread(limits, () => {
      all.delete(thread);
      if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1);
    });
    all.add(thread);
    return thread;
  };
  return {
    parse: (file, references, queued) =>
      queue.run(queued, async () => {
        if (stopped) throw new ServiceError('UNAVAILABLE', 'The service is stopping; try again.');
        const thread = idle.pop() ?? start();
        try {
          const outcome = await thread.parse(file, references);
          idle.push(thread);
          return outcome;
        } catch (error) {
          log.warn({ err: error, client: queued.client }, 'parse thread ended');
          await thread.end();
          throw error;
        }
      }),
    stop: async () => {
      stopped = true;
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}

function startThread(
  { timeMs, heapMegabytes }: { timeMs: number; heapMegabytes: number },
  onEnd: () => void,
): ParseThread {
  const youngMegabytes = heapMegabytes / 6;
  const worker = new Worker(SCRIPT, {
    name: 'parse',
    // The thread gets no secrets of the process.
    env: {},
    resourceLimits: {
      maxOldGenerationSizeMb: heapMegabytes - youngMegabytes,
      maxYoungGenerationSizeMb: youngMegabytes,
    },
  });
  const ended = new Promise<never>((_, reject) => {
    worker.once('error', (error) => {
      reject(isOutOfMemory(error) ? tooMuch(`${heapMegabytes} MB of memory`, error) : error);
    });
    worker.once('exit', () => {
      onEnd();
      reject(new ServiceError('UNAVAILABLE', 'Reading the file was interrupted; try again.'));
    });
  });
  // The thread may end while it parses no file.
  ended.catch(() => undefined);
  /** Rejects when the thread has used its processor time from now on. */
  const usedUp = async (timeMs: number, signal: AbortSignal): Promise<never> => {
    const usedMs = async (): Promise<number> => {
      const { user, system } = await worker.cpuUsage().catch(() => ended);
      return (user + system) / 1_000;
    };
    const deadline = Date.now() + WALL_FACTOR * timeMs;
    const limit = (await usedMs()) + timeMs;
    for (;;) {
      const leftMs = Math.min(limit - (await usedMs()), deadline - Date.now());
      if (leftMs <= 0) throw tooMuch(`${timeMs / 1_000} s`);
      await sleep(leftMs, undefined, { signal });
    }
  };
  const answer = () => new Promise<ParseOutcome>((resolve) => worker.once('message', resolve));
  const started = answer();
  let known: References | undefined;
  return {
    parse: async (file, references) => {
      const notStarted = () => new ServiceError('UNAVAILABLE', 'Files cannot be read at the moment; try again.');
      await within(START_LIMIT_MS, Promise.race([started, ended]), notStarted);
      const parsed = answer();
      const job: ParseJob = { ...file, lists: references === known ? undefined : references.lists };
      worker.postMessage(job);
      known = references;
      const work = Promise.race([parsed, ended]);
      const done = new AbortController();
      try {
        return await Promise.race([work, usedUp(timeMs, done.signal)]);
      } finally {
        done.abort();
      }
    },
    end: async () => {
      await worker.terminate();
    },
  };
}

function isOutOfMemory(error: unknown): boolean {
  return Error.isError(error) && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooMuch(what: string, cause?: unknown): ServiceError {
  const message = `Reading the file takes more than ${what}; send fewer records, and remove other sheets and formatting.`;
  return new ServiceError('PAYLOAD_TOO_LARGE', message, { cause });
}

async function within<Result>(ms: number, work: Promise<Result>, failure: () => Error): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(failure());
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
