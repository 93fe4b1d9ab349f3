import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '@esd/dev-stack/root';
import { request } from '@esd/testing/http';
import { z } from 'zod';
import { greyPng } from './images.ts';

const LANGUAGES = ['curl', 'Python', 'JavaScript'] as const;

export type Language = (typeof LANGUAGES)[number];

/** The examples of an operation by language, as the pages of the API documentation show them. */
export type Examples = Readonly<Record<Language, string>>;

/** Reads the examples from the pages of a service, by `operationId`. */
export async function readExamples(url: string): Promise<Map<string, Examples>> {
  const found = new Map<string, Record<Language, string>>();
  const index = await request(`${url}/docs`, { headers: { accept: 'text/html' } });
  const pages = new Set([...index.text.matchAll(/href="(\/docs\/[\w-]+)"/g)].map(([, path = '']) => path));
  for (const path of pages) {
    const { text } = await request(url + path, { headers: { accept: 'text/html' } });
    for (const [, id = '', language = '', code = ''] of text.matchAll(
      /<pre[^>]* id="(\w+)-(\w+)-code"[^>]*>([^<]*)</g,
    )) {
      const name = z.enum(LANGUAGES).parse(language);
      found.set(id, { ...(found.get(id) ?? { curl: '', Python: '', JavaScript: '' }), [name]: plainText(code) });
    }
  }
  return found;
}

function plainText(html: string): string {
  return html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

/** The Python of the tests of the client, which has its packages; undefined if it is not installed. */
export function clientPython(): string | undefined {
  const folder = join(root, '.tools', 'python');
  const newest = existsSync(folder) ? readdirSync(folder).find((name) => name.endsWith('-newest')) : undefined;
  const program = join(folder, newest ?? 'none', 'bin', 'python');
  return existsSync(program) ? program : undefined;
}

/** Runs examples in a folder with the files that they send. */
export interface Runner {
  /** Returns the output. Throws if the example fails, also for a status of 400 or more. */
  run(code: string, token: string): Promise<string>;
  end(): Promise<void>;
}

const TIMEOUT_MS = 120_000;

/** Starts a runner. Python and JavaScript are one process each, because the start of each takes longer than an example. */
export async function startRunner(language: Language): Promise<Runner> {
  const folder = await mkdtemp(join(tmpdir(), 'esd-examples-'));
  // curl then fails for an error response, as the other examples do.
  await writeFile(join(folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\nmax-time = 60\n');
  await writeFile(join(folder, 'experiments.csv'), 'polymer(s),voltage\nPVA,15 kV\n');
  await writeFile(join(folder, 'fibers.png'), greyPng(77));
  const clean = () => rm(folder, { recursive: true, force: true });
  if (language !== 'curl') return startWorker(language, folder, clean);
  return {
    run: async (code, token) => {
      const env = { PATH: process.env['PATH'], HOME: folder, CURL_HOME: folder, ESD_TOKEN: token };
      return new Promise<string>((resolve, reject) => {
        execFile('sh', ['-c', code], { cwd: folder, env, timeout: TIMEOUT_MS }, (error, output, errors) => {
          if (error) reject(new Error(`${code}\n${output}\n${errors}`));
          else resolve(output);
        });
      });
    },
    end: clean,
  };
}

const PYTHON_WORKER = `
import contextlib, io, json, os, sys, traceback
for line in sys.stdin:
    given = json.loads(line)
    os.environ["ESD_TOKEN"] = given["token"]
    output, error = io.StringIO(), None
    with contextlib.redirect_stdout(output):
        try:
            exec(compile(given["code"], "example", "exec"), {"__name__": "example"})
        except Exception:
            error = traceback.format_exc()
    print(json.dumps({"output": output.getvalue(), "error": error}), flush=True)
`;
const JAVASCRIPT_WORKER = `
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
const print = process.stdout.write.bind(process.stdout);
let number = 0;
for await (const line of createInterface(process.stdin)) {
  const { code, token } = JSON.parse(line);
  const file = process.cwd() + '/example-' + (number += 1) + '.mjs';
  await writeFile(file, code);
  process.env.ESD_TOKEN = token;
  let [output, error] = ['', null];
  process.stdout.write = (text) => { output += text; return true; };
  try { await import(file); } catch (thrown) { error = String(thrown?.stack ?? thrown); }
  process.stdout.write = print;
  print(JSON.stringify({ output, error }) + '\\n');
}
`;
const workerAnswer = z.object({ output: z.string(), error: z.string().nullable() });

function startWorker(language: 'Python' | 'JavaScript', folder: string, clean: () => Promise<void>): Runner {
  const isPython = language === 'Python';
  const program = isPython ? clientPython() : process.execPath;
  if (program === undefined) throw new Error('The Python of the client is not installed; run npm run test:python.');
  const env = {
    ...process.env,
    HOME: folder,
    XDG_CACHE_HOME: join(folder, 'cache'),
    PYTHONPATH: join(root, 'clients', 'python', 'src'),
  };
  const args = isPython ? ['-c', PYTHON_WORKER] : ['--input-type=module', '-e', JAVASCRIPT_WORKER];
  const worker = spawn(program, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(worker.stdout);
  return {
    run: async (code, token) => {
      const answer = once(lines, 'line', { signal: AbortSignal.timeout(TIMEOUT_MS) });
      worker.stdin.write(`${JSON.stringify({ code, token })}\n`);
      const [line] = z.tuple([z.string()]).parse(await answer);
      const { output, error } = workerAnswer.parse(JSON.parse(line));
      if (error !== null) throw new Error(`${code}\n${error}`);
      return output;
    },
    end: async () => {
      worker.stdin.end();
      if (worker.exitCode === null) await once(worker, 'exit');
      await clean();
    },
  };
}
