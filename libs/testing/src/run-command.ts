import { execFile } from 'node:child_process';

export interface CommandOptions {
  input?: string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Time after which the command is killed; the default is 60 s. */
  timeoutMs?: number;
}

const shortMs = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const shownOfErrors = 4_000;

/** Runs a command and returns its standard output. Throws an Error with its output if it fails or times out. */
export function runCommand(command: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { input = '', cwd, env = process.env, timeoutMs = shortMs } = options;
  const [file = '', ...args] = command;
  const settings = { env, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES, cwd } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(file, args, settings, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout);
        return;
      }
      const why = error.killed ? `killed after ${timeoutMs / 1000} s` : error.message;
      reject(new Error(`${command.join(' ')}: ${why}\n${(stdout + stderr).slice(-shownOfErrors)}`));
    });
    // The exit code reports the error of a command that ends without reading its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
