import { afterAll, describe, expect, test } from '@jest/globals';
import exceljs from 'exceljs';
import { csvOf } from '../csv-of.ts';
import { sheetColumns } from '@esd/record/flatten/flatten';
import { METADATA } from '@esd/service/rpc/rpc-metadata';
import { type ZipEntry, workbookParts, zipOf } from '@esd/testing/zip';
import { demoRecords } from '../../../../libs/record/test/demo-records.ts';
import { seedLists } from '../../../../libs/record/test/seed-lists.ts';
import { CALLER, form, openParsePort, PROOF } from '../parse-port.ts';

const port = await openParsePort();
afterAll(() => port.close());

const send = (body: NonNullable<RequestInit['body']>, headers?: Record<string, string>) => port.send(body, headers);
const parse = async (file: Buffer | string) => {
  const { status, json } = await port.send(form(file));
  return { status, json };
};

/** A workbook as a contributor would create it. */
async function workbookOf(fill: (sheet: exceljs.Worksheet, workbook: exceljs.Workbook) => void): Promise<Buffer> {
  const workbook = new exceljs.Workbook();
  fill(workbook.addWorksheet('My data'), workbook);
  return Buffer.from(await workbook.xlsx.writeBuffer());
}

/** Returns the response for problems of cells. */
const problems = (...errors: [path: string, code: string, message: RegExp][]) => ({
  status: 400,
  json: {
    success: false,
    code: 'VALIDATION_FAILED',
    message: errors.length === 1 ? 'The file has 1 problem.' : `The file has ${errors.length} problems.`,
    requestId: 'id-1',
    errorCount: errors.length,
    errors: errors.map(([path, code, message]) => ({ path, code, message: expect.stringMatching(message) })),
  },
});

describe('the template', () => {
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${port.url}/data/template.xlsx`, { method, headers: { ...PROOF, ...headers } });

  test('has the columns, with drop-down lists from the reference lists', async () => {
    const answer = await get();
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'content-disposition': 'attachment; filename="electrospinning-dataset-template.xlsx"',
      'cache-control': 'no-cache',
      etag: expect.stringMatching(/^"[0-9a-f]{20}"$/),
    });
    const workbook = new exceljs.Workbook();
    await workbook.xlsx.load(await answer.arrayBuffer());
    expect(workbook.worksheets.map(({ name, state }) => [name, state])).toEqual([
      ['Data', 'visible'],
      ['Columns', 'visible'],
      ['Lists', 'hidden'],
    ]);
    const [data, columns, lists] = workbook.worksheets;
    if (!data || !columns || !lists) throw new Error('a sheet is missing');
    const header = data.getRow(1).values;
    if (!Array.isArray(header)) throw new Error('the heading is missing');
    expect(header.slice(1)).toEqual(sheetColumns);
    expect(columns.rowCount).toBe(header.length);

    const choices = (column: string): unknown[] => {
      const { formulae } = data.getRow(1000).getCell(header.indexOf(column)).dataValidation;
      const [, letters = '', last = ''] = /^Lists!\$([A-Z]+)\$2:\$\1\$(\d+)$/.exec(String(formulae[0])) ?? [];
      const cells = Array.from({ length: Number(last) - 1 }, (_, i) => lists.getCell(`${letters}${i + 2}`).value);
      expect(lists.getCell(`${letters}${Number(last) + 1}`).value).toBeNull();
      return cells;
    };
    const unitsOf = (dimension: string) =>
      seedLists.units.filter((unit) => unit.dimension === dimension).map(({ unit }) => unit);
    expect(choices('polymer(s)')).toEqual(seedLists.polymers.map(({ name }) => name));
    expect(choices('solvent(s)')).toEqual(seedLists.solvents.map(({ name }) => name));
    expect(choices('morphology')).toEqual(seedLists.morphologies.map(({ label }) => label));
    expect(choices('process_instability')).toEqual(seedLists.instabilities.map(({ label }) => label));
    expect(choices('voltage_unit')).toEqual(unitsOf('voltage'));
    expect(choices('flow_rate_unit')).toEqual([...unitsOf('volume_flow'), ...unitsOf('mass_rate')]);
  });

  test('has the same bytes for the same lists, and returns 304 to a client with the current file', async () => {
    const [one, two] = [await (await get()).arrayBuffer(), await (await get()).arrayBuffer()];
    expect(Buffer.from(one).equals(Buffer.from(two))).toBe(true);
    const etag = (await get()).headers.get('etag') ?? '';
    expect((await get({ 'if-none-match': etag })).status).toBe(304);
    expect((await get({}, 'HEAD')).headers.get('content-length')).toBe(String(one.byteLength));
    expect((await get({}, 'POST')).status).toBe(405);
    const sent = port.dataset.sent;
    port.dataset.revision = 8;
    port.dataset.lists.polymers.push({ id: 9_999, name: 'A NEW ONE', kind: 'synthetic', aliases: [], retired: false });
    expect((await get()).headers.get('etag')).not.toBe(etag);
    expect(port.dataset.sent).toBe(sent + 1);
    port.dataset.lists.polymers.pop();
    port.dataset.revision = 9;
    expect((await get()).headers.get('etag')).toBe(etag);
  });

  test('can be filled in and parsed', async () => {
    const workbook = new exceljs.Workbook();
    await workbook.xlsx.load(await (await get()).arrayBuffer());
    const data = workbook.getWorksheet('Data');
    const header = data?.getRow(1).values;
    if (!data || !Array.isArray(header)) throw new Error('the heading is missing');
    const put = (row: number, column: string, value: exceljs.CellValue) => {
      data.getRow(row).getCell(header.indexOf(column)).value = value;
    };
    put(2, 'polymer(s)', 'PCL');
    put(2, 'voltage', '15 kV');
    put(3, 'polymer(s)', 'PVA');
    put(3, 'doi', '10.1/a');
    put(3, 'voltage', 15);
    put(3, 'voltage_unit', 'kV');
    const processParameter = { voltage: 15, voltageUnit: 'kV' };
    const polymer = (polymerName: string) => ({ polymerProperty: { polymerComponents: [{ polymerName }] } });
    expect(await parse(Buffer.from(await workbook.xlsx.writeBuffer()))).toEqual({
      status: 200,
      json: [
        { ...polymer('PCL'), processParameter },
        { researchMetadata: { doi: '10.1/a' }, ...polymer('PVA'), processParameter },
      ],
    });
  });
});

describe('CSV', () => {
  test('from an export returns the same records', async () => {
    const { status, json } = await parse(csvOf(demoRecords));
    expect(status).toBe(200);
    expect(json).toEqual(demoRecords.map((data, i) => ({ recordId: i + 1, ...data })));
  });

  test.each([
    ['commas', 'voltage,doi,publication_title\r\n1,"a, ""b""\nc",\'=x\r\n\r\n2,,\r\n'],
    [
      'semicolons, a byte order mark and no final line end',
      '\uFEFFvoltage;doi;publication_title\n1;"a, ""b""\nc";\'=x\n\n2',
    ],
    ['a stated separator', 'sep=;\r\nvoltage;doi;publication_title\r\n1;"a, ""b""\nc";\'=x\r\n2;;\r\n'],
    ['tabs', 'voltage\tdoi\tpublication_title\r1\t"a, ""b""\nc"\t\'=x\r2\t'],
  ])('with %s is accepted', async (_, text) => {
    expect(await parse(text)).toEqual({
      status: 200,
      json: [
        { researchMetadata: { publicationTitle: '=x', doi: 'a, "b"\nc' }, processParameter: { voltage: 1 } },
        { processParameter: { voltage: 2 } },
      ],
    });
  });

  test('has problems with cell addresses in spreadsheet notation', async () => {
    expect(await parse('doi,voltage\n"x\ny",1\n\n,"2,5"\n')).toEqual(problems(['B4', 'WRONG_TYPE', /2\.5/]));
  });

  test.each<[string, string | Buffer, number, string]>([
    ['nothing', '', 400, 'INVALID_REQUEST'],
    ['too many rows', 'doi\n' + '\n'.repeat(100_000), 400, 'INVALID_REQUEST'],
    ['a field of unlimited length', `"${'""'.repeat(300_000)}"`, 400, 'INVALID_REQUEST'],
    ['too many columns', 'doi,'.repeat(1_001) + '\n', 400, 'INVALID_REQUEST'],
    ['an unclosed quote', 'doi\n"x\n', 400, 'INVALID_REQUEST'],
    ['text after a quote', 'doi\n"x"y\n', 400, 'INVALID_REQUEST'],
    ['UTF-16', Buffer.from('\uFEFFdoi\nx', 'utf16le'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['Latin-1', Buffer.from('doi\n\xe9', 'latin1'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('with %s is rejected', async (_, file, status, code) => {
    expect(await parse(file)).toEqual({ status, json: expect.objectContaining({ success: false, code }) });
  });
});

describe('a workbook', () => {
  test('can contain formulas, rich text, percentages and numbers as text', async () => {
    const file = await workbookOf((sheet) => {
      sheet.addRow(['voltage', 'humidity', 'doi', 'polymer(s)', 'flow_rate']);
      sheet.addRow([
        { formula: '10+5', result: 15 },
        0.29,
        { richText: [{ text: '10.1' }, { text: '/a', font: { bold: true } }] },
        { formula: '"PC"&"L"', result: 'PCL' },
        '0.5 mL/h',
      ]);
      sheet.getCell('B2').numFmt = '0.0%';
    });
    expect(await parse(file)).toEqual({
      status: 200,
      json: [
        {
          researchMetadata: { doi: '10.1/a' },
          polymerProperty: { polymerComponents: [{ polymerName: 'PCL' }] },
          processParameter: { voltage: 15, flowRate: 0.5, flowRateUnit: 'mL/h' },
          ambientParameter: { humidity: 29, humidityUnit: '%' },
        },
      ],
    });
  });

  test('with every kind of error returns a problem with the cell address for each', async () => {
    const file = await workbookOf((sheet) => {
      sheet.addRow(['voltage', 'humidity', 'polymer(s)', 'voltge', 'temperature']);
      sheet.addRow([
        new Date(Date.UTC(2024, 4, 1)),
        { formula: '1/0', result: { error: '#DIV/0!' } },
        'PCLX',
        1,
        { formula: 'A1' },
      ]);
      sheet.addRow([]);
      sheet.addRow(['12,5', 40, 'PCL']);
      sheet.mergeCells('A6:B7');
    });
    expect(await parse(file)).toEqual(
      problems(
        ["'My data'!D1", 'UNKNOWN_MEMBER', /^Unknown column "voltge"; nearest: voltage\.$/],
        ["'My data'!A2", 'WRONG_TYPE', /^`voltage`: .*date or time/],
        ["'My data'!B2", 'WRONG_TYPE', /^`humidity`: .*#DIV\/0!/],
        ["'My data'!E2", 'WRONG_TYPE', /^`temperature`: .*no stored result/],
        ["'My data'!C2", 'UNKNOWN_POLYMER', /^`polymer\(s\)`: Unknown polymer "PCLX".*"PCL"/],
        ["'My data'!A4", 'WRONG_TYPE', /^`voltage`: The number "12,5" has a comma/],
        ["'My data'!A6:B7", 'INVALID_FORMAT', /^Merged cells/],
      ),
    );
  });

  test('is read from its first visible sheet', async () => {
    const file = await workbookOf((sheet, workbook) => {
      sheet.state = 'hidden';
      workbook.addWorksheet('B').addRows([['voltage'], [1]]);
      workbook.addWorksheet('C').addRows([['nothing'], [1]]);
    });
    expect(await parse(file)).toEqual({ status: 200, json: [{ processParameter: { voltage: 1 } }] });
  });

  test('without records is rejected', async () => {
    expect(await parse(await workbookOf(() => undefined))).toEqual(
      problems(["'My data'!1:1", 'MISSING_VALUE', /has no records/]),
    );
    expect(await parse(await workbookOf((sheet) => sheet.addRow(['voltage'])))).toEqual(
      problems(["'My data'!1:1", 'MISSING_VALUE', /has no records/]),
    );
  });

  test('can contain at most a thousand records', async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, at) => [at + 1]);
    const file = await workbookOf((sheet) => sheet.addRows([['voltage'], ...rows(1_000)]));
    expect((await parse(file)).json).toHaveLength(1_000);
    const more = await workbookOf((sheet) => sheet.addRows([['voltage'], ...rows(5_000)]));
    expect(await parse(more)).toEqual(problems(["'My data'!1002:1002", 'TOO_MANY_RECORDS', /1000/]));
  });

  test('from another program can contain prefixed names, inline text, escapes, and cells without addresses', async () => {
    const sheet = `<x:sheetData>
      <x:row><x:c t="inlineStr"><x:is><x:t>doi</x:t></x:is></x:c><x:c t="inlineStr"><x:is><x:r><x:t>volt</x:t></x:r><x:r><x:t>age</x:t></x:r><x:rPh><x:t>no</x:t></x:rPh></x:is></x:c></x:row>
      <x:row><x:c t="str"><x:v>a_x000D__x005F_ &amp; b</x:v></x:c><x:c><x:v>1.5E1</x:v></x:c></x:row>
      <x:row/><x:row r="9"><x:c/><x:c r="B9" t="n"><x:v>2</x:v></x:c></x:row></x:sheetData>`;
    expect(await parse(zipOf(workbookParts(sheet)))).toEqual({
      status: 200,
      json: [
        { researchMetadata: { doi: 'a\r_ & b' }, processParameter: { voltage: 15 } },
        { processParameter: { voltage: 2 } },
      ],
    });
  });
});

describe('a malicious or damaged archive', () => {
  const rows =
    '<sheetData><row><c t="inlineStr"><is><t>voltage</t></is></c></row><row><c><v>1</v></c></row></sheetData>';
  const parts = workbookParts(rows);
  const withPart = (name: string, change: (part: ZipEntry) => ZipEntry): ZipEntry[] =>
    parts.map((part) => (part.name === name ? change(part) : part));
  const SHEET = 'xl/worksheets/sheet1.xml';
  const big = (bytes: number, fill = ' ') => Buffer.from(rows.replace('<row>', `${fill.repeat(bytes)}<row>`));

  test('differs from a valid archive, which is accepted', async () => {
    expect((await parse(zipOf(parts))).status).toBe(200);
  });

  test.each<[string, Buffer, number, string, RegExp]>([
    [
      'unpacks to 300 times its size',
      zipOf(withPart(SHEET, (part) => ({ ...part, data: big(15_000_000) }))),
      413,
      'PAYLOAD_TOO_LARGE',
      /sheet1\.xml unpacks to \d+ times/,
    ],
    [
      'understates its size',
      zipOf(withPart(SHEET, (part) => ({ ...part, data: big(30_000_000), claims: 500 }))),
      400,
      'INVALID_REQUEST',
      /sheet1\.xml is damaged/,
    ],
    [
      'has an unused part of 4 GB',
      zipOf([...parts, { name: 'x', data: Buffer.alloc(9), claims: 4e9 }]),
      413,
      'PAYLOAD_TOO_LARGE',
      /4000\d+ bytes/,
    ],
    [
      'has too many parts',
      zipOf([...parts, ...Array.from({ length: 1_000 }, (_, i) => ({ name: `p${i}`, data: Buffer.alloc(0) }))]),
      413,
      'PAYLOAD_TOO_LARGE',
      /1005 parts/,
    ],
    ['has a part twice', zipOf([...parts, ...parts.slice(-1)]), 400, 'INVALID_REQUEST', /twice/],
    [
      'has macros',
      zipOf([...parts, { name: 'xl/vbaProject.bin', data: Buffer.alloc(9) }]),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      /macros/,
    ],
    [
      'is encrypted',
      zipOf(parts.map((part) => ({ ...part, encrypted: true as const }))),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      /encrypted/,
    ],
    [
      'is not a workbook',
      zipOf([{ name: 'a.txt', data: Buffer.from('x') }]),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      /not an Excel workbook/,
    ],
    ['lacks its sheet', zipOf(parts.slice(0, -1)), 400, 'INVALID_REQUEST', /lacks the part/],
    ['is cut off', zipOf(parts).subarray(0, -30), 400, 'INVALID_REQUEST', /damaged/],
    [
      'contains entities',
      zipOf(withPart(SHEET, (part) => ({ ...part, data: Buffer.from('<!DOCTYPE a [<!ENTITY b "cc">]><a>&b;</a>') }))),
      400,
      'INVALID_REQUEST',
      /damaged/,
    ],
    [
      'is not XML',
      zipOf(withPart(SHEET, (part) => ({ ...part, data: Buffer.from('<a><b></a>') }))),
      400,
      'INVALID_REQUEST',
      /damaged/,
    ],
    [
      'refers to a missing shared string',
      zipOf(workbookParts('<sheetData><row><c t="s"><v>5</v></c></row></sheetData>')),
      400,
      'INVALID_REQUEST',
      /shared string 5/,
    ],
  ])('is rejected because it %s', async (_, file, status, code, message) => {
    const answer = await parse(file);
    expect(answer).toEqual({
      status,
      json: { success: false, code, message: expect.stringMatching(message), requestId: 'id-1' },
    });
  });
});

describe('the form', () => {
  const twoFiles = form('voltage\n1');
  twoFiles.append('file', new Blob(['x']), 'b');
  const endless = () => {
    let isBegun = false;
    return new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
        controller.enqueue(isBegun ? new Uint8Array(100_000) : Buffer.from(head));
        isBegun = true;
      },
    });
  };
  const withField = form('voltage\n1');
  withField.append('sheet', '2');

  test.each<[string, NonNullable<RequestInit['body']>, Record<string, string>, number, string]>([
    ['no caller', form('voltage\n1'), PROOF, 401, 'AUTH_REQUIRED'],
    ['a bad caller', form('voltage\n1'), { ...PROOF, [METADATA.assertion]: 'bad' }, 401, 'TOKEN_INVALID'],
    ['no form', '{}', { ...CALLER, 'content-type': 'application/json' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['no boundary', 'x', { ...CALLER, 'content-type': 'multipart/form-data; a=b' }, 400, 'INVALID_REQUEST'],
    [
      'no end',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nvoltage',
      { ...CALLER, 'content-type': 'multipart/form-data; boundary=b' },
      400,
      'INVALID_REQUEST',
    ],
    ['no file', new FormData(), CALLER, 400, 'INVALID_REQUEST'],
    ['a file by another name', form('voltage\n1', 'sheet'), CALLER, 400, 'INVALID_REQUEST'],
    ['two files', twoFiles, CALLER, 400, 'INVALID_REQUEST'],
    ['more than the file', withField, CALLER, 400, 'INVALID_REQUEST'],
    [
      'an endless stream',
      endless(),
      { ...CALLER, 'content-type': 'multipart/form-data; boundary=b' },
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['50 MB', form(Buffer.alloc(50_000_000, 'x')), CALLER, 413, 'PAYLOAD_TOO_LARGE'],
  ])('with %s is rejected', async (_, body, headers, status, code) => {
    expect(await send(body, headers)).toMatchObject({
      status,
      json: expect.objectContaining({ success: false, code }),
    });
  });
});
