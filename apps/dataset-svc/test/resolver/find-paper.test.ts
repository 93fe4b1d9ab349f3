import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { findPaper, type Resolver } from '../../src/resolver/find-paper.ts';
import { isPublicAddress } from '../../src/resolver/public-address.ts';

const DOI = '10.5555/a(b)/c';
const item = {
  DOI: DOI.toUpperCase(),
  title: 'A <i>title</i>',
  author: [{ family: 'Doe', given: 'J.' }],
  issued: { 'date-parts': [[2014]] },
};

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts an HTTP server as a resolver. */
async function resolverOf(answer: Answer): Promise<Resolver & { requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, userAgent: 'esd (mailto:a@example.org)', requests };
}

const find = (resolver: Resolver, doi = DOI) => findPaper(resolver, doi, new AbortController().signal);
const json =
  (body: unknown): Answer =>
  (_, response) =>
    response.end(JSON.stringify(body));
const redirect =
  (location: string): Answer =>
  (_, response) =>
    response.writeHead(302, { location }).end();

test('requests CSL-JSON of the encoded DOI with the contact, and returns the facts', async () => {
  const resolver = await resolverOf(json(item));
  expect(await find(resolver)).toEqual({
    ...{ doi: DOI, title: 'A title', authors: [{ family: 'Doe', given: 'J.' }], year: 2014 },
    ...{ journal: undefined, publisher: undefined, url: undefined },
  });
  const [request] = resolver.requests;
  expect(request?.url).toBe('/10.5555/a(b)/c');
  expect(request?.headers).toMatchObject({
    accept: 'application/vnd.citationstyles.csl+json',
    'user-agent': 'esd (mailto:a@example.org)',
  });
});

describe('a response is refused', () => {
  test.each<[string, Answer, RegExp]>([
    ['with the status 404', (_, response) => response.writeHead(404).end(), /status 404/],
    ['with the status 500', (_, response) => response.writeHead(500).end(JSON.stringify(item)), /status 500/],
    ['that is a redirect without an address', (_, response) => response.writeHead(302).end(), /status 302/],
    ['that is not JSON', (_, response) => response.end('<html>'), /not JSON/],
    ['that is an array', json([item]), /not usable/],
    ['of another DOI', json({ ...item, DOI: '10.5555/other' }), /10\.5555\/other/],
    ['without a DOI', json({ ...item, DOI: undefined }), /DOI/],
    ['without a title', json({ ...item, title: '' }), /title/],
    ['with a bad year', json({ ...item, issued: { 'date-parts': [[99]] } }), /year/],
    [
      'of more than 1 MB',
      (_, response) => response.end(JSON.stringify({ ...item, note: 'x'.repeat(1024 * 1024) })),
      /1 MB/,
    ],
    [
      'of more than 1 MB without an end',
      (_, response) => {
        response.on('drain', () => response.write('x'.repeat(65_536))).write('x'.repeat(65_536));
      },
      /1 MB/,
    ],
    [
      'that is cut off',
      (_, response) => response.writeHead(200, { 'content-length': '99' }).end('{'),
      /aborted|hang up/,
    ],
  ])('%s', async (_, answer, problem) => {
    await expect(find(await resolverOf(answer))).rejects.toThrow(problem);
  });

  test.each<[string, Answer]>([
    ['that never begins', () => undefined],
    ['that never ends', (_, response) => response.write('{')],
  ])('%s', async (_, answer) => {
    const resolver = await resolverOf(answer);
    await expect(find({ ...resolver, timeoutMs: 200 })).rejects.toThrow('within 0.2 s');
  });
});

describe('redirects', () => {
  test('up to five lead to the own origin', async () => {
    let left = 5;
    const resolver = await resolverOf((request, response) => {
      if (left-- > 0) redirect(`/next/${left}`)(request, response);
      else json(item)(request, response);
    });
    await expect(find(resolver)).resolves.toMatchObject({ doi: DOI });
    expect(resolver.requests).toHaveLength(6);
  });

  test('a loop ends after five', async () => {
    const resolver = await resolverOf(redirect('/again'));
    await expect(find(resolver)).rejects.toThrow('more than 5 redirects');
    expect(resolver.requests).toHaveLength(6);
  });

  test.each([
    ['http://example.org/', /not https/],
    ['ftp://example.org/', /not https/],
    ['file:///etc/passwd', /not https/],
    ['https://127.0.0.1/', /not a public address/],
    ['https://[::1]/', /not a public address/],
    ['https://[::ffff:10.0.0.1]/', /not a public address/],
    ['https://2130706433/', /not a public address/],
    ['https://0x7f.1/', /not a public address/],
    ['https://10.1.2.3/', /not a public address/],
    ['https://169.254.169.254/latest/meta-data', /not a public address/],
    ['https://localhost/', /no public address/],
    ['https://user@localhost:1/', /no public address/],
    ['https://[', /invalid address/],
  ])('%s is refused', async (location, problem) => {
    await expect(find(await resolverOf(redirect(location)))).rejects.toThrow(problem);
  });

  test('another origin on the same machine is refused, although it is the host of the resolver', async () => {
    const other = await resolverOf(json(item));
    await expect(find(await resolverOf(redirect(`${other.url}/x`)))).rejects.toThrow('not https');
    expect(other.requests).toHaveLength(0);
  });
});

test.each([
  ['8.8.8.8', true],
  ['1.1.1.1', true],
  ['2606:4700:4700::1111', true],
  ['0.0.0.0', false],
  ['100.64.0.1', false],
  ['172.31.255.255', false],
  ['172.32.0.1', true],
  ['192.168.0.1', false],
  ['198.19.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['::ffff:8.8.8.8', false],
  ['64:ff9b::a00:1', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['ff02::1', false],
  ['2002:a00:1::', false],
  ['2001:db8::1', false],
  ['example.org', false],
])('%s is a public address: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});
