import { afterAll, describe, expect, test } from '@jest/globals';
import exceljs from 'exceljs';
import { workbookParts, zipOf } from '@esd/testing/zip';
import { CALLER, form, openParsePort, PROOF } from '../parse-port.ts';

const port = await openParsePort();
afterAll(() => port.close());

const read = (file: Buffer | string, query = '') => port.send(form(file), CALLER, `?headings=guess${query}`);

async function workbookOf(fill: (workbook: exceljs.Workbook) => void): Promise<Buffer> {
  const workbook = new exceljs.Workbook();
  fill(workbook);
  return Buffer.from(await workbook.xlsx.writeBuffer());
}

describe('a workbook', () => {
  test('is read from the first visible sheet with headings', async () => {
    const file = await workbookOf((workbook) => {
      workbook.addWorksheet('Hidden', { state: 'hidden' }).addRow(['Polymer', 'Voltage (kV)']);
      workbook.addWorksheet('About').addRow(['Results of 2024']);
      workbook.addWorksheet('Runs').addRows([
        ['Polymer', 'Voltage (kV)', 'Date', 'Ratio'],
        ['PVA', 12.5, new Date(0), '3:1'],
      ]);
      workbook.addWorksheet('More').addRows([
        ['Polymer', 'Distance (cm)'],
        ['PCL', 15],
      ]);
    });
    const { status, json } = await read(file);
    expect([status, json]).toEqual([
      200,
      expect.objectContaining({
        file: { kind: 'xlsx', sheet: 'Runs', sheets: ['About', 'Runs', 'More'], decimalMark: null },
        counts: { rows: 1, ready: 1, errors: 0, leftOut: 0 },
      }),
    ]);
    expect((await read(file, '&sheet=More')).json).toMatchObject({
      file: { sheet: 'More' },
      rows: [{ item: { processParameter: { tipCollectorDistance: 15, tipCollectorDistanceUnit: 'cm' } } }],
    });
    for (const sheet of ['Hidden', 'Nothing']) {
      expect(await read(file, `&sheet=${sheet}`)).toMatchObject({
        status: 400,
        json: { code: 'INVALID_PARAMETER', message: expect.stringContaining('"About", "Runs", "More"') },
      });
    }
    expect(await read(file, '&sheet=About')).toMatchObject({
      status: 400,
      json: {
        code: 'VALIDATION_FAILED',
        errors: [{ path: 'About!1:1', code: 'NO_HEADING_ROW', rows: [{ row: 1, cells: ['Results of 2024'] }] }],
      },
    });
    // A chosen heading row belongs to the sheet that is read without it.
    expect((await read(file, '&headingRow=2')).json).toMatchObject({ file: { sheet: 'Runs' }, headingRow: 2 });
    expect((await read(file, '&sheet=About&headingRow=1')).json).toMatchObject({ file: { sheet: 'About' } });
  });

  test('has merged cells, group titles and dates', async () => {
    const file = await workbookOf((workbook) => {
      const sheet = workbook.addWorksheet('My data');
      sheet.addRows([
        ['Solution', '', 'Needle', 'Fiber'],
        ['Polymer', 'Solvent', 'Diameter', 'Diameter'],
        ['PVA', 'Water', '0.8 mm', '240 ± 30 nm'],
        ['', '', '22G', new Date(0)],
      ]);
      sheet.mergeCells('A1:B1');
      sheet.mergeCells('A3:A4');
      sheet.mergeCells('B3:B4');
    });
    const { json } = await read(file);
    expect(json).toMatchObject({
      headingRow: 2,
      columns: [
        { reads: 'polymer(s)' },
        { reads: 'solvent(s)' },
        { reads: 'needle_definition' },
        { reads: 'fiber_diameter' },
      ],
      rows: [
        { row: 3, state: 'ready', item: { fiberProperty: { fiberDiameterVariation: 30 } } },
        {
          row: 4,
          state: 'error',
          errors: [
            {
              path: "'My data'!D4",
              code: 'WRONG_TYPE',
              message: expect.stringContaining('converted this value to a date. Format the column as text.'),
            },
          ],
        },
      ],
      notes: expect.arrayContaining([
        { path: "'My data'!A4", kind: 'merged', text: 'PVA', reads: 'PVA' },
        { path: "'My data'!D3", kind: 'plus-minus', text: '240 ± 30 nm', reads: '240 nm ± 30 nm' },
      ]),
    });
  });

  test('can have experiments in columns', async () => {
    const file = await workbookOf((workbook) => {
      workbook.addWorksheet('Runs').addRows([
        ['Polymer', 'PVA', 'PCL'],
        ['Solvent', 'Water', 'DCM'],
        ['Voltage (kV)', '10–12', 15],
      ]);
    });
    expect((await read(file)).json).toMatchObject({
      orientation: 'columns',
      headingRow: 1,
      columns: [{ at: '1' }, { at: '2' }, { at: '3', reads: 'voltage' }],
      rows: [
        { row: 2, state: 'error', errors: [{ path: 'Runs!B3', kind: 'range' }] },
        { row: 3, state: 'ready' },
      ],
      repairs: [{ kind: 'range', at: '3', cells: ['B3'], choices: ['low', 'middle', 'high', 'empty'] }],
    });
  });

  test('with more than 10,000 merged ranges is refused', async () => {
    const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
    const rows = `<row>${cell('Polymer')}</row><row>${cell('PVA')}</row>`;
    const ranges = Array.from({ length: 10_001 }, (_, at) => `<mergeCell ref="E${2 * at + 10}:E${2 * at + 11}"/>`);
    const sheet = zipOf(workbookParts(`<sheetData>${rows}</sheetData><mergeCells>${ranges.join('')}</mergeCells>`));
    expect(await read(sheet)).toMatchObject({
      status: 400,
      json: { code: 'INVALID_REQUEST', message: expect.stringContaining('10000 ranges of merged cells') },
    });
  });
});

test('a sheet with the largest reading is refused', async () => {
  const headings = ['Polymer', 'Title', 'DOI', 'Fracture'];
  // Each character has two bytes.
  const row = `PVA,${Array.from({ length: 3 }, () => 'µ'.repeat(2_000)).join(',')}\n`;
  expect(await read(`${headings.join(',')}\n${row.repeat(1_000)}`)).toMatchObject({
    status: 413,
    json: { code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('split the file') },
  });
});

test('a file as large and as strange as the limits allow ends at most its thread', async () => {
  const cell = '1/2(3)-4 a';
  const row = `${Array.from({ length: 1_000 }, () => cell).join(',')}\n`;
  const file = `Polymer,Solvent${',d/e/f (g)'.repeat(998)}\n${row.repeat(1_000)}`;
  expect([200, 413]).toContain((await read(file)).status);
  expect((await read('Polymer,Voltage (kV)\nPVA,15\n')).status).toBe(200);
});

test('an OpenDocument sheet is refused by name', async () => {
  const file = zipOf([
    { name: 'mimetype', data: Buffer.from('application/vnd.oasis.opendocument.spreadsheet') },
    { name: 'content.xml', data: Buffer.from('<x/>') },
  ]);
  expect(await read(file)).toMatchObject({
    status: 415,
    json: {
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: 'This is an OpenDocument sheet; save it as an Excel workbook (.xlsx) or as CSV.',
    },
  });
});

describe('the plain template', () => {
  const template = () => fetch(`${port.url}/data/template.xlsx?headings=plain`, { headers: PROOF });

  test('has headings as laboratories write them, all of which are read or left out', async () => {
    const answer = await template();
    expect(answer.headers.get('content-disposition')).toBe(
      'attachment; filename="electrospinning-dataset-template-plain.xlsx"',
    );
    const names = await fetch(`${port.url}/data/template.xlsx`, { headers: PROOF });
    expect(names.headers.get('etag')).not.toBe(answer.headers.get('etag'));
    const file = Buffer.from(await answer.arrayBuffer());
    const { status, json } = await read(file);
    expect([status, json]).toMatchObject([
      200,
      {
        file: { sheet: 'Data' },
        settled: true,
        counts: { rows: 2, ready: 0, errors: 0, leftOut: 2 },
        rows: [
          { row: 2, state: 'left-out', reason: 'example' },
          { row: 3, state: 'left-out', reason: 'example' },
        ],
      },
    ]);
    // The examples are valid experiments.
    expect((await read(file, '&include=2,3')).json).toMatchObject({
      counts: { ready: 2, errors: 0, leftOut: 0 },
      notes: [],
    });
  });

  test('has drop-down lists from the reference lists', async () => {
    const workbook = new exceljs.Workbook();
    await workbook.xlsx.load(await (await template()).arrayBuffer());
    expect(workbook.worksheets.map(({ name, state }) => [name, state])).toEqual([
      ['Data', 'visible'],
      ['Lists', 'hidden'],
    ]);
    const data = workbook.getWorksheet('Data');
    expect(data?.getRow(1).values).toEqual([
      undefined,
      'Row',
      'Polymer',
      'Solvent',
      'Solvent ratio (v/v)',
      'Concentration (wt%)',
      'Voltage (kV)',
      'Flow rate (mL/h)',
      'Distance (cm)',
      'Needle (G)',
      'Collector',
      'Temperature (°C)',
      'Humidity (%)',
      'Stable',
      'Fiber diameter (nm)',
      'SD (nm)',
      'Morphology',
      'DOI',
      'Comment',
      'Sample ID',
      'Remarks',
      'Molecular weight (g/mol)',
    ]);
    expect(data?.getCell('B4').dataValidation).toMatchObject({
      type: 'list',
      formulae: [expect.stringMatching(/^Lists!/)],
    });
    expect(data?.getCell('M4').dataValidation).toMatchObject({ type: 'list', formulae: ['"yes,no"'] });
  });
});
