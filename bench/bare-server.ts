import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import { type ChildServer, childServer } from './child-server.ts';

interface Answer {
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Starts a bare `node:http` server that sends a response from memory: the upper limit of this machine and Node. */
export async function startBareServer(answer: Answer): Promise<ChildServer> {
  const child = fork(import.meta.filename, ['serve'], { serialization: 'advanced' });
  child.send(answer);
  return childServer(child);
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
