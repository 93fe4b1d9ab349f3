import { execFileSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ExampleRequest, examplesOf } from '../../src/openapi/examples.ts';

const ROOT = 'https://esd.example.org/data';
// The characters that end a literal of a language are frequent.
const value = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom("'", '"', '`', '\\', '$', '\r', '\n'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
    minLength: 1,
  })
  .filter((text) => !text.includes('\0'));
const name = fc.stringMatching(/^[a-z]{2,8}$/);
// In an object literal, this key is the prototype.
const json = fc.jsonValue().filter((one) => !JSON.stringify(one).includes('__proto__'));
const request = fc.record<ExampleRequest>({
  id: fc.constant('postNothing'),
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
  path: fc.constant('/things/{thing}'),
  parameters: fc
    .tuple(value, fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 3 }))
    .map(([thing, query]) => [
      { name: 'thing', place: 'path' as const, value: thing },
      ...query.map(([key, text]) => ({ name: key, place: 'query' as const, value: text })),
    ]),
  body: fc.option(fc.dictionary(name, json), { nil: undefined }),
  isForm: fc.constant(false),
  credential: fc.constantFrom('none', 'required'),
  needsOrigin: fc.constant(false),
  returnsJson: fc.constant(false),
  fileType: fc.constant(undefined),
});

/** The URL and the JSON body of a request. */
interface Sent {
  url: string;
  body: unknown;
}

function wanted({ parameters, body, method }: ExampleRequest): Sent {
  const url = new URL(`${ROOT}/things/${encodeURIComponent(parameters[0]?.value ?? '')}`);
  for (const { name: key, place, value: text } of parameters) if (place === 'query') url.searchParams.set(key, text);
  return { url: url.href, body: method === 'GET' ? undefined : body };
}

test('the JavaScript example sends the request', async () => {
  await fc.assert(
    fc.asyncProperty(request, async (given) => {
      const example = { ...given, body: given.method === 'GET' ? undefined : given.body };
      const code = examplesOf(example, ROOT).find(({ language }) => language === 'JavaScript')?.code ?? '';
      const sent: Sent[] = [];
      const fetched = (url: string, options: { body?: string } = {}) => {
        sent.push({ url: new URL(url).href, body: options.body === undefined ? undefined : JSON.parse(options.body) });
        return Promise.resolve({ ok: true, text: () => Promise.resolve('') });
      };
      const running: unknown = runInNewContext(`(async () => {${code}})()`, {
        ...{ fetch: fetched, URLSearchParams },
        ...{ process: { env: {} }, console: { log: () => undefined } },
      });
      await running;
      const { url, body } = wanted(example);
      expect(sent.map((one) => [new URL(one.url).pathname, [...new URL(one.url).searchParams], one.body])).toEqual([
        [
          new URL(url).pathname,
          [...new URL(url).searchParams],
          body === undefined ? undefined : JSON.parse(JSON.stringify(body)),
        ],
      ]);
    }),
  );
});

test('the shell and Python read the values of the examples unchanged', () => {
  fc.assert(
    fc.property(request, (given) => {
      const example = { ...given, body: given.method === 'GET' ? undefined : given.body };
      const codes = new Map(examplesOf(example, ROOT).map(({ language, code }) => [language, code]));
      // Prints each argument of curl on a line, as JSON.
      const shell = execFileSync(
        'sh',
        ['-c', `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }; ${codes.get('curl') ?? ''}`],
        { env: { ESD_TOKEN: 'secret' }, encoding: 'utf8' },
      ).split('\0');
      const { body, url } = wanted(example);
      for (const { name: key, place, value: text } of example.parameters) {
        if (place === 'query' && example.method === 'GET') expect(shell).toContain(`${key}=${text}`);
      }
      if (example.method !== 'GET')
        expect(shell.map((one) => (URL.canParse(one) ? new URL(one).href : one))).toContain(url);
      expect(shell.includes('Authorization: Bearer secret')).toBe(example.credential === 'required');
      if (body !== undefined) expect(JSON.parse(shell.at(-2) ?? '')).toEqual(JSON.parse(JSON.stringify(body)));
    }),
    { numRuns: 20 },
  );
});
