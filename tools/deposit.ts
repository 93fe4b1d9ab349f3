import { parseArgs } from 'node:util';
import { StackError } from '@esd/dev-stack/stack-error';
import { depositRelease } from './deposit-release.ts';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { url: { type: 'string', default: 'http://localhost:8080' }, to: { type: 'string' } },
  });
  const [version, ...more] = positionals;
  if (version === undefined || more.length > 0) {
    throw new StackError('Usage: npm run deposit -- VERSION [--url URL] [--to FOLDER]');
  }
  const { url, to = `deposit-${version}` } = values;
  const say = (line: string): void => {
    console.log(line);
  };
  await depositRelease({ url: url.replace(/\/+$/, ''), version, folder: to, signal: stopping.signal, say });
  console.log(`${to} is ready: ${to}/zenodo, ${to}/hugging-face`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
