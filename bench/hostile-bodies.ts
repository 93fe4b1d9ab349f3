import { randomUUID } from 'node:crypto';

/** A body that is meant to cost much. */
export interface HostileBody {
  what: string;
  contentType: string;
  body: Buffer;
}

const JSON_TYPE = 'application/json';

const json = (what: string, text: string): HostileBody => ({ what, contentType: JSON_TYPE, body: Buffer.from(text) });

/** `part` as often as `bytes` hold, `close` at the end. */
function repeated(open: string, part: (index: number) => string, close: string, bytes: number): string {
  const parts: string[] = [];
  for (let size = open.length + close.length, index = 0; ; index++) {
    const next = part(index);
    size += next.length + 1;
    if (size > bytes) return open + parts.join(',') + close;
    parts.push(next);
  }
}

/** Members of a JSON object of at most `bytes` and `most` members. */
const members = (bytes: number, most: number, nameOf: (index: number) => string): string => {
  const all = repeated('{', (index) => `${JSON.stringify(nameOf(index))}:0`, '}', bytes);
  return all.slice(0, -1).split(',').slice(0, most).join(',') + '}';
};

/** JSON bodies of up to `bytes` that fit no route, each the worst of a kind. */
export function jsonBodies(bytes: number): HostileBody[] {
  return [
    json(
      'many members',
      members(bytes, Infinity, (index) => index.toString(36)),
    ),
    json(
      '9,000 members',
      members(bytes, 9_000, (index) => `${index}${'\u0001'.repeat(90)}`),
    ),
    json(
      'many empty arrays',
      repeated('{"experimentData":[', () => '[]', ']}', bytes),
    ),
    json(
      'many numbers',
      repeated('{"recordIds":[', () => '1', ']}', bytes),
    ),
    json('9,000 wrong items', `{"recordIds":[${Array.from({ length: 9_000 }, () => '"x"').join()}]}`),
    json('one long text', `{"message":"${'x'.repeat(bytes - 14)}"}`),
    json('escaped characters', `{"message":"${'\\u0001'.repeat((bytes - 14) / 6)}"}`),
    json('white space as an image', `{"message":"x","imageBase64":"${'A '.repeat((bytes - 40) / 2)}"}`),
    json('deep', '{"a":['.repeat(bytes / 6)),
    json('20 levels', `{"a":${'['.repeat(19)}${']'.repeat(19)}}`),
  ];
}

/** Submissions of up to the 10 MB that one may have. */
export function submissionBodies(): HostileBody[] {
  const record = (index: number, polymerName: string): string =>
    `{"polymerProperty":{"polymerComponents":[{"polymerName":${JSON.stringify(polymerName)}}]},"processParameter":{"voltage":${index}}}`;
  const records = (count: number, one: (index: number) => string): string =>
    `{"experimentData":[${Array.from({ length: count }, (_, index) => one(index)).join()}]}`;
  const free = (index: number): string =>
    `{"needleProperty":{"needleDefinition":${members(9_000, 99, (at) => `m${index}x${at}`)}}}`;
  return [
    json(
      '1,000 records, unknown names',
      records(1_000, (index) => record(index, `POLYVINYLALCOHO${index}`)),
    ),
    json(
      '1,000 records, unknown members',
      records(1_000, () => members(10_000, 400, (index) => `polymerPropert${index}`)),
    ),
    json('1,000 records, free members', records(1_000, free)),
    json(
      '40 records of 256 KB',
      records(40, () => `{"x":"${'x'.repeat(255 * 1024)}"}`),
    ),
  ];
}

/** Forms of up to 20 MB. */
export function formBodies(): HostileBody[] {
  const boundary = randomUUID();
  const part = (head: string, content: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`), content, CRLF]);
  const CRLF = Buffer.from('\r\n');
  const form = (what: string, ...parts: Buffer[]): HostileBody => ({
    what,
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  });
  const texts = Array.from({ length: 20_000 }, (_, index) => part(`name="m${index}"`, Buffer.from('x')));
  return [
    form('20,000 parts', ...texts),
    form('20 MB of line breaks', part('name="file"; filename="x"', Buffer.alloc(20_000_000, '\r\n'))),
    form('20 MB of commas', part('name="file"; filename="x.csv"', Buffer.alloc(20_000_000, ','))),
  ];
}
