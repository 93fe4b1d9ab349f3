import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { CHEAP_PASSWORDS } from '@esd/testing/cheap-passwords';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STARTED_MS = 200_000;

const stackFile = z.looseObject({
  launcher: z.int(),
  ready: z.boolean(),
  url: z.string(),
  processes: z.record(z.string(), z.int()),
});

/** A process that runs the command of `npm start`. */
export interface Launcher {
  /** The output so far. */
  output(): string;
  /** Waits for a text in the output. Throws if the process ends first or the wait takes too long. */
  untilOutput(text: string): Promise<void>;
  /** Sends SIGINT, as Ctrl-C does, and returns the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL to the launcher (`outer`) or to its child that starts all other processes (`inner`). */
  kill(which: 'outer' | 'inner'): Promise<void>;
}

const launched: Launcher[] = [];

/** Stops every launcher that still runs; for `afterAll`, also after a failed test. */
export async function stopLaunchers(): Promise<void> {
  await Promise.all(launched.splice(0).map((launcher) => launcher.stop()));
}

/** Starts the launcher with a data folder and the demo dataset. */
export function launch(dataDir: string, port: number, env: NodeJS.ProcessEnv = {}): Launcher {
  const child: ChildProcess = spawn(
    process.execPath,
    ['tools/start.mjs', '--port', String(port), '--data-dir', dataDir],
    {
      cwd: ROOT,
      env: { ...process.env, ESD_RATE_LIMITS: 'off', ...CHEAP_PASSWORDS, NODE_OPTIONS: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(child, 'exit');
  const launcher: Launcher = {
    output: () => output,
    untilOutput: async (text) => {
      for (const deadline = Date.now() + STARTED_MS; !output.includes(text); await sleep(10)) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the launcher ended: ${output}`);
        if (Date.now() > deadline) throw new Error(`not within ${STARTED_MS} ms: ${text}; its output: ${output}`);
      }
    },
    stop: async () => {
      child.kill('SIGINT');
      await exited;
      return child.exitCode;
    },
    kill: async (which) => {
      if (which === 'outer') child.kill('SIGKILL');
      else process.kill(readStackFile(dataDir).launcher, 'SIGKILL');
      await exited;
    },
  };
  launched.push(launcher);
  return launcher;
}

/** Returns the processes that still run. */
export function alive(pids: readonly number[]): number[] {
  return pids.filter((pid) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  });
}

/** Reads the `stack.json` of the stack that runs in a folder. */
export function readStackFile(dataDir: string): z.output<typeof stackFile> {
  return stackFile.parse(JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8')));
}
