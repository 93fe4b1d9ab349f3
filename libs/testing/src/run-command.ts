import { execFile } from 'node:child_process';

export interface CommandOptions {
  /** What the command reads on its standard input. */
  input?: string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Time after which it is killed, 60 s unless given. */
  timeoutMs?: number;
}

const shortMs = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const shownOfErrors = 4_000;

/** Runs a command; its standard output. Throws an Error with what it said when it fails or takes too long. */
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
      const why = error.killed ? `no end within ${timeoutMs / 1000} s` : error.message;
      reject(new Error(`${command.join(' ')}: ${why}\n${(stdout + stderr).slice(-shownOfErrors)}`));
    });
    // A command that ends without reading says by its exit code what is wrong.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
