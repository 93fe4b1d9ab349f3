import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { indexReferences } from '@esd/record/reference/reference';
import { openTempStorage, type TempStorage } from '@esd/service/http/temp-storage';
import { attributeBomb, nestedXmlBomb, numberFormatBomb, stringBomb } from '@esd/testing/hostile-workbooks';
import { workbookParts, zipOf } from '@esd/testing/zip';
import { seedLists } from '../../../../libs/record/test/seed-lists.ts';
import { openParseWorkers } from '../../src/workbook-import/parse-workers.ts';
import { CALLER, callerNamed, form, openParsePort, type ParsePort } from '../parse-port.ts';

const EVIL = callerNamed('evil');
const HONEST = callerNamed('honest');
const record = '<row><c t="inlineStr"><is><t>voltage</t></is></c></row><row><c><v>1</v></c></row>';
/** A workbook within all limits that occupies a thread for a second. */
const slowWorkbook = (): Buffer => {
  const empty = Array.from({ length: 400_000 }, (_, i) => `<row r="${i + 3}"/>`).join('');
  return zipOf(workbookParts(`<sheetData>${record}${empty}</sheetData>`));
};

describe('the endpoint', () => {
  let port: ParsePort;
  beforeAll(async () => {
    port = await openParsePort();
  });
  afterAll(() => port.close());

  test.each<[string, () => Buffer, RegExp]>([
    ['a number format that a regular expression would scan for minutes', numberFormatBomb, /255/],
    ['millions of nested elements', nestedXmlBomb, /100 nested elements/],
    ['millions of shared strings', stringBomb, /250000 shared strings/],
    ['an element of a million attributes', attributeBomb, /100 attributes/],
    [
      'an invalid row number',
      () => zipOf(workbookParts('<sheetData><row r="1e999"><c><v>1</v></c></row></sheetData>')),
      /"1e999"/,
    ],
    [
      'a text of a million characters',
      () => zipOf(workbookParts(`<sheetData><row><c t="str"><v>${'ab'.repeat(510_000)}</v></c></row></sheetData>`)),
      /1000000 characters/,
    ],
    [
      'a text of two million characters in pieces',
      () =>
        zipOf(
          workbookParts(
            `<sheetData><row><c t="inlineStr"><is>${`<t>${'ab'.repeat(100)}</t>`.repeat(10_000)}</is></c></row></sheetData>`,
          ),
        ),
      /1000000 characters/,
    ],
  ])('rejects a workbook with %s, and serves other requests at the same time', async (_, bomb, message) => {
    const before = process.memoryUsage().rss;
    const [evil, honest] = await Promise.all([port.send(form(bomb()), EVIL), port.send(form('voltage\n1'), HONEST)]);
    expect(honest.status).toBe(200);
    expect(evil).toMatchObject({
      status: 400,
      json: { success: false, code: 'INVALID_REQUEST', message: expect.stringMatching(message) },
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });

  test('shortens a sheet name in problems to 80 characters', async () => {
    const parts = workbookParts(`<sheetData>${record.replace('voltage', 'voltge')}</sheetData>`).map((part) =>
      part.name === 'xl/workbook.xml'
        ? { ...part, data: Buffer.from(part.data.toString().replace('My data', 'x'.repeat(500_000))) }
        : part,
    );
    const { status, json } = await port.send(form(zipOf(parts)));
    expect(status).toBe(400);
    expect(JSON.stringify(json).length).toBeLessThan(1_000);
  });

  test('shortens a long cell in a message', async () => {
    const { status, json } = await port.send(form(`voltage\n"1,1${'x'.repeat(200_000)}"`));
    expect(status).toBe(400);
    expect(JSON.stringify(json).length).toBeLessThan(1_000);
  });

  test('remains responsive: a client that fills the queue blocks neither the process nor other clients', async () => {
    const slow = slowWorkbook();
    let parsed = 0;
    // More concurrent requests than the share of the client.
    const evil = Array.from({ length: 20 }, async () => {
      const response = await port.send(form(slow), EVIL);
      if (response.status === 200) parsed += 1;
      return response;
    });
    for (let i = 0; i < 10; i++) expect((await fetch(`${port.url}/health`)).status).toBe(200);
    expect((await port.send(form('voltage\n1'), HONEST)).status).toBe(200);
    expect(parsed).toBeLessThan(9);
    const responses = await Promise.all(evil);
    for (const { status } of responses) expect([200, 413, 429]).toContain(status);
    expect(responses).toContainEqual({
      status: 429,
      retryAfter: '5',
      json: expect.objectContaining({ code: 'RATE_LIMITED' }),
    });
  });

  test('assigns no thread to an incomplete upload, and limits such uploads per client', async () => {
    const boundary = { 'content-type': 'multipart/form-data; boundary=b' };
    const stop = new AbortController();
    const begin = async (headers: Record<string, string>) => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(
            Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nvoltage'),
          );
        },
      });
      const init = {
        method: 'POST',
        body,
        headers: { ...headers, ...boundary },
        signal: stop.signal,
        duplex: 'half' as const,
      };
      return fetch(`${port.url}/data/parse-excel`, init);
    };
    const slow = [...Array.from({ length: 33 }, () => begin(EVIL)), ...Array.from({ length: 8 }, () => begin(CALLER))];
    const settled = Promise.allSettled(slow);
    // Only the request beyond the share gets a response.
    expect((await Promise.race(slow)).status).toBe(429);
    expect((await port.send(form('voltage\n1'), CALLER)).status).toBe(200);
    expect((await port.send(form('voltage\n1'), HONEST)).status).toBe(200);
    stop.abort();
    // On a busy machine, the endpoint may have refused others because they took too long.
    const refused = (await settled).filter((outcome) => outcome.status === 'fulfilled' && outcome.value.status === 429);
    expect(refused).toHaveLength(1);
  });

  test('uses the current reference lists', async () => {
    const { lists } = port.dataset;
    const file = form('polymer(s)\nA NEW ONE');
    expect((await port.send(file)).status).toBe(400);
    lists.polymers.push({ id: 9_999, name: 'A NEW ONE', kind: 'synthetic', aliases: [], retired: false });
    port.dataset.revision += 1;
    expect((await Promise.all([port.send(file), port.send(file)])).map(({ status }) => status)).toEqual([200, 200]);
    lists.polymers.pop();
    port.dataset.revision += 1;
    expect((await port.send(file)).status).toBe(400);
  });
});

describe('a thread', () => {
  const references = indexReferences({ ...seedLists, revision: 1, ambiguous: [] });
  const log = pino({ level: 'silent' });
  const queued = (client: string) => ({ client: `account ${client}` as const, signal: new AbortController().signal });
  let tempStorage: TempStorage;
  beforeAll(async () => {
    tempStorage = await openTempStorage('esd-export-threads');
  });
  afterAll(() => tempStorage.close());

  /** Parses files by name, in threads with the given limits. */
  const withThreads = (
    limits: { timeMs: number; heapMegabytes: number },
    work: (
      parse: (file: Buffer | string, client?: string) => Promise<unknown>,
      stop: () => Promise<void>,
    ) => Promise<void>,
  ) =>
    tempStorage.during(async (folder) => {
      const workers = openParseWorkers(log, limits);
      try {
        await work(
          async (file, client = 'a') => {
            const path = join(folder, crypto.randomUUID());
            await writeFile(path, file);
            return workers.parse({ path, form: 'records' }, references, queued(client));
          },
          () => workers.stop(),
        );
      } finally {
        await workers.stop();
      }
    });

  test('that exceeds its time limit is terminated and replaced', () =>
    withThreads({ timeMs: 300, heapMegabytes: 192 }, async (parse) => {
      const slow = slowWorkbook();
      const refusal = { code: 'PAYLOAD_TOO_LARGE', message: expect.stringMatching(/more than 0\.3 s/) };
      await Promise.all([1, 2, 3].map(() => expect(parse(slow)).rejects.toMatchObject(refusal)));
      // On a busy machine, even a small file may take long.
      let outcome: unknown;
      while (outcome === undefined) outcome = await parse('voltage\n1').catch(() => undefined);
      expect(outcome).toMatchObject({ kind: 'records' });
    }));

  test('that exceeds its memory limit is terminated and replaced, and the process continues', () =>
    withThreads({ timeMs: 200_000, heapMegabytes: 36 }, async (parse) => {
      const texts = Array.from({ length: 240_000 }, (_, i) => `<si><t>${String(i).padEnd(40, 'x')}</t></si>`);
      const large = zipOf(
        workbookParts(`<sheetData>${record}</sheetData>`, { sharedStrings: `<sst>${texts.join('')}</sst>` }),
      );
      const refusal = { code: 'PAYLOAD_TOO_LARGE', message: expect.stringMatching(/more than 36 MB of memory/) };
      await expect(parse(large)).rejects.toMatchObject(refusal);
      expect(await parse('voltage\n1')).toMatchObject({ kind: 'records' });
    }));

  test('is terminated by the stop, even while it parses', () =>
    withThreads({ timeMs: 200_000, heapMegabytes: 192 }, async (parse, stop) => {
      const slow = slowWorkbook();
      await parse('voltage\n1');
      const files = Promise.allSettled(['a', 'b', 'c'].map((client) => parse(slow, client)));
      await stop();
      expect(await files).toEqual(
        Array.from({ length: 3 }, () => ({
          status: 'rejected',
          reason: expect.objectContaining({ code: 'UNAVAILABLE' }),
        })),
      );
      await expect(parse('voltage\n1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    }));
});
