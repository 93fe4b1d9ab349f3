import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface ChildServer {
  url: string;
  pid: number | undefined;
  stop(): Promise<void>;
}

const STARTED_MS = 30_000;

/** Waits until a child process sends the port of its server. Throws after 30 s. */
export async function childServer(child: ChildProcess): Promise<ChildServer> {
  const message: unknown[] = await once(child, 'message', { signal: AbortSignal.timeout(STARTED_MS) });
  const [port] = message;
  return {
    url: `http://127.0.0.1:${Number(port)}`,
    pid: child.pid,
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}
