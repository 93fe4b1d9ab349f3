import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { TestStack } from '@esd/testing/stack';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TIMEOUT_MS = 200_000;

/** The exit code and the output of a command. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs an operator command of a service, such as `sweep`, with the program and environment of the running service. `aheadMs` sets its
 * clock forward, for effects of time; the dates that sign requests stay correct.
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
      // A process that the time limit ended has no exit code.
      if (error && typeof error.code !== 'number') reject(new Error(`${service} ${words.join(' ')}`, { cause: error }));
      else resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}
