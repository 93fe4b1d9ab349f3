import { parseArgs } from 'node:util';
import { StackError } from '@esd/dev-stack/stack-error';
import { verifyQuery } from './verify-query.ts';
import { verifyRelease } from './verify-release.ts';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { url: { type: 'string', default: 'http://localhost:8080' }, query: { type: 'string' } },
  });
  const { url, query } = values;
  const [version, ...more] = positionals;
  if ((version === undefined) === (query === undefined) || more.length > 0) {
    throw new StackError('Usage: npm run verify -- VERSION [--url URL], or npm run verify -- --query ID [--url URL]');
  }
  const say = (line: string): void => {
    console.log(line);
  };
  const { signal } = stopping;
  const isWhole =
    query === undefined
      ? await verifyRelease({ url, version: version ?? '', signal, say })
      : await verifyQuery({ url, query, signal, say });
  process.exitCode = isWhole ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
