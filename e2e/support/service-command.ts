import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { TestStack } from '@esd/testing/stack';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TIMEOUT_MS = 60_000;

/** How a command ended, and what it said. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command of a service, such as `sweep`, as an operator would: the same program with the same environment, as a
 * process of its own, while the service runs. `aheadMs` sets its clock forward, for what only time brings about; the dates
 * with which requests are signed stay right.
 */
export async function serviceCommand(
  stack: TestStack,
  service: string,
  words: readonly string[],
  { aheadMs = 0 } = {},
): Promise<CommandResult> {
  const text = await readFile(`/proc/${stack.pid(service) ?? 0}/environ`, 'utf8');
  const env = Object.fromEntries(
    text.split('\0').flatMap((line) => {
      const at = line.indexOf('=');
      return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
    }),
  );
  const clock = `const now = Date.now; Date.now = () => now() + ${aheadMs};`;
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(clock)}`,
    `apps/${service}/src/main.ts`,
    ...words,
  ];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: ROOT, env, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      // What was ended by the time limit has no code.
      if (error && typeof error.code !== 'number') reject(new Error(`${service} ${words.join(' ')}`, { cause: error }));
      else resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}
