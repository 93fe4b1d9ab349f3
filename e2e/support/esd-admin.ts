import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CommandResult } from './service-command.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TIMEOUT_MS = 200_000;

/** Runs `esd-admin` with these arguments. `env` is added to the environment. */
export function esdAdmin(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const options = { cwd: ROOT, env: { ...process.env, ...env }, timeout: TIMEOUT_MS };
    execFile(process.execPath, ['tools/admin.ts', ...words], options, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(new Error(`esd-admin ${words.join(' ')}`, { cause: error }));
      else resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}
