import { parseArgs } from 'node:util';
import { StackError } from '@esd/dev-stack/stack-error';
import { verifyVersion } from './verify-version.ts';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { url: { type: 'string', default: 'http://localhost:8080' } },
  });
  const [version, ...more] = positionals;
  if (version === undefined || more.length > 0) throw new StackError('npm run verify -- VERSION [--url URL]');
  const say = (line: string): void => {
    console.log(line);
  };
  const isWhole = await verifyVersion({ url: values.url, version, signal: stopping.signal, say });
  process.exitCode = isWhole ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
