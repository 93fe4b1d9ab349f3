import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';

/** A server in a process of its own that answers every request with the same bytes. */
export interface BareServer {
  url: string;
  pid: number | undefined;
  stop(): Promise<void>;
}

interface Answer {
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Starts a bare `node:http` server that holds an answer in memory: what this machine and Node can do at most. */
export async function startBareServer(answer: Answer): Promise<BareServer> {
  const child = fork(import.meta.filename, ['serve'], { serialization: 'advanced' });
  child.send(answer);
  const message: unknown[] = await once(child, 'message', { signal: AbortSignal.timeout(10_000) });
  const [port] = message;
  return { url: `http://127.0.0.1:${Number(port)}`, pid: child.pid, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

if (process.argv[1] === import.meta.filename && process.argv[2] === 'serve') {
  process.once('message', ({ headers, body }: Answer) => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { ...headers, 'content-length': body.length });
      response.end(body);
    });
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (typeof address === 'object') process.send?.(address?.port);
    });
  });
  process.on('disconnect', () => process.exit());
}
