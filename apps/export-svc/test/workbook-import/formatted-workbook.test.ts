import { describe, expect, test } from '@jest/globals';
import exceljs from 'exceljs';
import fc from 'fast-check';
import { z } from 'zod';
import { runs } from '@esd/testing/property-runs';
import { type ZipEntry, workbookParts, zipOf } from '@esd/testing/zip';
import { references } from '../../../../libs/record/test/seed-lists.ts';
import { guessSheet } from '../../src/workbook-import/guess-sheet.ts';
import { importTable } from '../../src/workbook-import/import-table.ts';
import { sheetValues } from '../../src/workbook-import/sheet-cells.ts';

const readingSchema = z.object({
  columns: z.array(
    z.object({ at: z.string(), state: z.string(), reads: z.string().nullable(), reason: z.string().nullable() }),
  ),
  rows: z.array(
    z.object({
      row: z.number(),
      state: z.string(),
      reason: z.string().nullable(),
      item: z.unknown(),
      errors: z.array(
        z.object({
          path: z.string(),
          code: z.string(),
          kind: z.string().optional(),
          text: z.string().optional(),
          choices: z.array(z.object({ choice: z.string(), reads: z.string() })).optional(),
        }),
      ),
    }),
  ),
  notes: z.array(z.object({ path: z.string(), kind: z.string(), text: z.string(), reads: z.string() })),
});

async function read(
  file: Buffer,
  options: Parameters<typeof guessSheet>[2] = {},
): Promise<z.infer<typeof readingSchema>> {
  const outcome = await guessSheet(file, references, options);
  if (!('json' in outcome)) throw new Error(JSON.stringify(outcome));
  return readingSchema.parse(JSON.parse(outcome.json.toString()));
}

/** Lists the readings of a sheet by cell: the choices of its problem, or its note. */
async function readings(file: Buffer): Promise<Record<string, string>> {
  const { rows, notes } = await read(file);
  const cells: Record<string, string> = {};
  const add = (path: string, text: string): void => void (cells[path.replace(/.*!/, '')] = text);
  for (const { path, kind, text, reads } of notes) add(path, `${kind}: ${text} → ${reads}`);
  for (const { path, code, kind, choices = [] } of rows.flatMap((row) => row.errors)) {
    add(path, `${kind ?? code}: ${choices.map(({ choice, reads }) => `${choice}=${reads}`).join(', ')}`);
  }
  return cells;
}

const HEADINGS =
  '<row r="1"><c r="A1" t="inlineStr"><is><t>Polymer</t></is></c><c r="B1" t="inlineStr"><is><t>Voltage (kV)</t></is></c></row>';
const NAME = '<c t="inlineStr"><is><t>PVA</t></is></c>';

/** Returns a workbook with a polymer and one further cell in each row. */
function workbookOf(
  cells: readonly string[],
  others: Parameters<typeof workbookParts>[1] = {},
  parts: ZipEntry[] = [],
): Buffer {
  const rows = cells.map((cell) => `<row>${NAME}${cell}</row>`);
  return zipOf([...workbookParts(`<sheetData>${HEADINGS}${rows.join('')}</sheetData>`, others), ...parts]);
}

/** The styles 0 to 3: none, struck (as Excel writes it), struck (LibreOffice), not struck. */
const STYLES = `<styleSheet><fonts><font/><font><strike/></font><font><strike val="true"/></font><font><strike val="0"/></font></fonts>
<cellStyleXfs><xf fontId="1"/></cellStyleXfs><cellXfs><xf fontId="0"/><xf fontId="1"/><xf fontId="2"/><xf fontId="3"/></cellXfs>
<dxfs><dxf><font><strike/></font></dxf></dxfs></styleSheet>`;

const run = (text: string, format?: string): string =>
  `<r>${format === undefined ? '' : `<rPr>${format}</rPr>`}<t xml:space="preserve">${text}</t></r>`;
const SUPERSCRIPT = '<vertAlign val="superscript"/>';

describe('the runs of a text', () => {
  test.each([
    ['superscript, as Excel writes it', run('240') + run('a', SUPERSCRIPT), 'footnote: value=240 kV, empty='],
    [
      'superscript with other formatting',
      run('240', '<b/>') + run('1', `<b/>${SUPERSCRIPT}<sz val="9"/>`),
      'footnote: value=240 kV, empty=',
    ],
    [
      'superscript without a superscript character',
      run('240') + run('[1]', SUPERSCRIPT),
      'footnote: value=240 kV, empty=',
    ],
    ['subscript', run('24', '<vertAlign val="subscript"/>') + run('0'), undefined],
    ['on the baseline', run('24', '<vertAlign val="baseline"/>') + run('0', '<strike val="false"/>'), undefined],
    ['a power with a factor', run('1.5×10') + run('3', SUPERSCRIPT), 'power: 1.5×10³ → 1500 kV'],
    ['a power', run('10') + run('3', SUPERSCRIPT), 'power: power=1000 kV, base=10 kV, empty='],
    [
      'a power in several runs',
      run('10') + run('-', SUPERSCRIPT) + run('1', SUPERSCRIPT),
      'power: power=0.1 kV, base=10 kV, empty=',
    ],
    ['partly struck', run('18') + run('20', '<strike/>'), 'struck: without=18 kV, with=1820 kV, empty='],
    ['struck in all runs', run('1', '<strike/>') + run('8', '<strike val="1"/>'), 'struck: value=18 kV, empty='],
    [
      'struck and superscript',
      run('10') + run('3', `<strike/>${SUPERSCRIPT}`),
      'struck: without=10 kV, with=1000 kV or 10 kV, empty=',
    ],
    ['a phonetic hint', `${run('24')}<rPh><t>x</t></rPh>`, undefined],
    ['an escape', run('18 ') + run('_x0032_0', '<strike/>'), 'struck: without=18 kV, with=, empty='],
  ])('%s are read', async (_, item, expected) => {
    const shared = workbookOf(['<c r="B2" t="s"><v>0</v></c>'], { sharedStrings: `<sst><si>${item}</si></sst>` });
    expect((await readings(shared))['B2']).toBe(expected);
    const inline = workbookOf([`<c r="B2" t="inlineStr"><is>${item}</is></c>`]);
    expect((await readings(inline))['B2']).toBe(expected);
  });

  test('without a font have that of the cell', async () => {
    const sharedStrings = `<sst><si>${run('18 ')}${run('20', '<b/>')}</si><si>${run('18', '<b/>')}</si></sst>`;
    const cells = ['0', '1'].flatMap((style) => ['0', '1'].map((text) => `<c s="${style}" t="s"><v>${text}</v></c>`));
    expect(await readings(workbookOf(cells, { styles: STYLES, sharedStrings }))).toEqual({
      B2: 'word: empty=',
      B4: 'struck: without=20 kV, with=, empty=',
    });
  });
});

test('a struck cell is offered, whatever its type', async () => {
  const cells = ['<v>15</v>', '<v>0.1234</v>', '<v>15</v>', '<v>15</v>'].map(
    (value, style) => `<c s="${style}">${value}</c>`,
  );
  const others = [
    't="str"><v>15 kV</v>',
    't="inlineStr"><is><t>16</t></is>',
    't="s"><v>0</v>',
    't="b"><v>1</v>',
    't="e"><v>#N/A</v>',
  ];
  const file = workbookOf([...cells, ...others.map((rest) => `<c s="1" ${rest}</c>`)], {
    styles: STYLES,
    sharedStrings: '<sst><si><t>17</t></si></sst>',
  });
  expect(await readings(file)).toEqual({
    B3: 'struck: value=0.1234 kV, empty=',
    B4: 'struck: value=15 kV, empty=',
    B6: 'struck: value=15 kV, empty=',
    B7: 'struck: value=16 kV, empty=',
    B8: 'struck: value=17 kV, empty=',
    B9: 'struck: value=, empty=',
    B10: 'WRONG_TYPE: ',
  });
});

describe('number formats', () => {
  const withFormat = (code: string, ...values: number[]): Buffer =>
    workbookOf(
      values.map((value) => `<c s="1"><v>${value}</v></c>`),
      {
        styles: `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${code.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"/></numFmts><fonts><font/></fonts><cellXfs><xf/><xf numFmtId="164"/></cellXfs></styleSheet>`,
      },
    );

  test.each([
    ['0.0" kV"', 'format-unit: 1.2 kV → 1.234 kV'],
    ['0.00" V"', 'format-unit: 1.23 V → 1.234 V'],
    ['0.0" cm"', 'UNIT_NOT_APPLICABLE: '],
    ['0.0" foo"', 'UNKNOWN_UNIT: '],
    ['"ca. "0.0', 'approximate: ca. 1.2 → 1.234 kV'],
    ['"<"0.0', 'bound: value=1.234 kV, empty='],
    ['0.0,', 'format-scaled: 0.0 → 1.234 kV'],
    [';;;', 'format-scaled:  → 1.234 kV'],
    ['0.0', undefined],
    ['0%', 'UNIT_NOT_APPLICABLE: '],
  ])('%s tells how the number is shown', async (code, expected) => {
    expect((await readings(withFormat(code, 1.234)))['B2']).toBe(expected);
  });

  const literal = fc.constantFrom(
    '',
    '',
    '" kV"',
    '" cm"',
    '\\m',
    '"~"',
    '"*"',
    '%',
    '"%"',
    '"00"',
    '"²"',
    '_)',
    '(',
    '$',
    '[$€-407]',
    '-',
  );
  const digits = fc.constantFrom('0', '0.0', '#,##0.00', '0,', '0.0,,', '', '00-00', '0.0E+00', 'General', '?/?', '#');
  const section = fc.tuple(literal, digits, literal).map((parts) => parts.join(''));
  const code = fc.array(section, { minLength: 1, maxLength: 4 }).map((sections) => sections.join(';'));

  test('never change a number without a note, choice, or error', async () => {
    const numbers = fc.array(
      fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.constantFrom(0, 0.45, 1.234, 15, 15_000)),
      { minLength: 1, maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(code, numbers, async (format, values) => {
        const [plain, formatted] = [
          await read(withFormat('General', ...values)),
          await read(withFormat(format, ...values)),
        ];
        for (const [at, row] of formatted.rows.entries()) {
          const isTold = row.state === 'error' || formatted.notes.some(({ path }) => path.endsWith(`!B${row.row}`));
          if (!isTold) expect({ ...row, format }).toEqual({ ...plain.rows[at], format });
        }
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('hidden rows and columns', () => {
  const sheetOf = (rows: string, columns = ''): Buffer =>
    zipOf(workbookParts(`<cols>${columns}</cols><sheetData>${rows}</sheetData>`));
  const row = (attributes: string): string => `<row ${attributes}>${NAME}<c><v>15</v></c></row>`;

  test('are left out', async () => {
    const file = sheetOf(
      [
        HEADINGS,
        row(''),
        row('hidden="1"'),
        row('hidden="true" ht="15"'),
        row('ht="0" customHeight="1"'),
        row('hidden="0" ht="15"'),
        row('hidden="false" collapsed="1"'),
      ].join(''),
    );
    const { rows } = await read(file);
    expect(rows.map(({ state, reason }) => reason ?? state)).toEqual([
      'ready',
      'hidden',
      'hidden',
      'hidden',
      'ready',
      'ready',
    ]);
    const included = await read(file, { include: '3,5' });
    expect(included.rows.map(({ state, reason }) => reason ?? state)).toEqual([
      'ready',
      'ready',
      'hidden',
      'ready',
      'ready',
      'ready',
    ]);
  });

  test.each([
    ['<col min="2" max="2" hidden="1"/>', 'hidden'],
    ['<col collapsed="false" customWidth="true" hidden="true" max="4" min="2" width="13"/>', 'hidden'],
    ['<col min="2" max="16384" width="0" customWidth="1"/>', 'hidden'],
    ['<col min="1" max="2" hidden="0" width="9"/>', null],
    ['<col min="3" max="3" hidden="1"/>', null],
  ])('a column with %s has the reason %p', async (column, reason) => {
    const { columns } = await read(sheetOf(HEADINGS + row('') + row(''), column), { columns: '{}' });
    expect(columns[1]?.reason).toBe(reason);
    const chosen = await read(sheetOf(HEADINGS + row(''), column), { columns: '{"Voltage (kV)": "voltage"}' });
    expect(chosen.columns[1]).toMatchObject({ state: 'read', reads: 'voltage' });
  });

  test('a hidden heading row is refused, and a visible one is preferred', async () => {
    const hidden = HEADINGS.replace('<row', '<row hidden="1"');
    expect(await guessSheet(sheetOf(hidden + row('')), references, {})).toMatchObject({
      kind: 'refused',
      problems: [
        {
          code: 'HIDDEN_HEADING_ROW',
          path: "'My data'!1:1",
          message: expect.stringContaining('The heading row is hidden'),
        },
      ],
    });
    const both = await read(sheetOf(hidden + HEADINGS.replaceAll(/ r="[A-Z]?1"/g, '') + row('')));
    expect(both.rows).toMatchObject([{ row: 3, state: 'ready' }]);
  });

  test('in a sheet with experiments in columns', async () => {
    const file = await exceljsOf((sheet) => {
      sheet.addRows([
        ['Polymer', 'PVA', 'PVA'],
        ['Solvent', 'Water', 'Water'],
        ['Voltage (kV)', 15, 16],
        ['Distance (cm)', 10, 12],
      ]);
      sheet.getColumn(3).hidden = true;
      sheet.getRow(4).hidden = true;
    });
    const { columns, rows } = await read(file);
    expect(columns.map(({ at, reason }) => [at, reason])).toEqual([
      ['1', null],
      ['2', null],
      ['3', null],
      ['4', 'hidden'],
    ]);
    expect(rows.map(({ state, reason }) => reason ?? state)).toEqual(['ready', 'hidden']);
  });

  test('with more than 1,000 ranges of columns is refused', async () => {
    const columns = Array.from(
      { length: 1_001 },
      (_, at) => `<col min="${2 * at + 5}" max="${2 * at + 5}" hidden="1"/>`,
    );
    await expect(read(sheetOf(HEADINGS + row(''), columns.join('')))).rejects.toThrow(/1000 ranges of hidden columns/);
  });
});

async function exceljsOf(fill: (sheet: exceljs.Worksheet) => void): Promise<Buffer> {
  const workbook = new exceljs.Workbook();
  fill(workbook.addWorksheet('Runs'));
  return Buffer.from(await workbook.xlsx.writeBuffer());
}

test('a workbook of exceljs has all of them', async () => {
  const file = await exceljsOf((sheet) => {
    sheet.addRow(['Polymer', 'Voltage (kV)', 'Humidity', 'Distance (cm)']);
    sheet.addRow(['PVA', { richText: [{ text: '18 ' }, { text: '20', font: { strike: true } }] }, 0.45, 15]);
    sheet.addRow([{ richText: [{ text: 'PVA' }, { text: 'a', font: { vertAlign: 'superscript' } }] }, 15, 45, 15]);
    sheet.getCell('C2').numFmt = '0%';
    sheet.getCell('B3').font = { strike: true };
    sheet.getCell('D3').numFmt = '0.0" mm"';
    sheet.getCell('D2').note = 'measured twice';
  });
  expect(await readings(file)).toEqual({
    C1: 'assumed-unit: Humidity → %',
    B2: 'struck: without=18 kV, with=, empty=',
    C2: 'percent-format: 45% → 45 %',
    D2: 'comment: measured twice → 15',
    A3: 'footnote: PVAᵃ → PVA',
    B3: 'struck: value=15 kV, empty=',
    D3: 'format-unit: 15.0 mm → 15 mm',
  });
});

describe('comments', () => {
  const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
  const part = (name: string, xml: string): ZipEntry => ({ name, data: Buffer.from(xml) });
  const related = (...parts: [type: string, target: string][]): ZipEntry =>
    part(
      'xl/worksheets/_rels/sheet1.xml.rels',
      `<Relationships xmlns="${RELATIONSHIPS}">${parts.map(([type, target]) => `<Relationship Id="${type}" Type="http://x/${type}" Target="${target}"/>`).join('')}</Relationships>`,
    );
  const legacy = (...comments: [cell: string, text: string][]): ZipEntry =>
    part(
      'xl/comments1.xml',
      `<comments><authors><author>Ada</author></authors><commentList>${comments.map(([cell, text]) => `<comment ref="${cell}" authorId="0"><text><r><rPr><b/></rPr><t>Ada:</t></r><r><t xml:space="preserve">\n${text}</t></r></text></comment>`).join('')}</commentList></comments>`,
    );

  test('are notes; a threaded one replaces its copy for older programs', async () => {
    const threads = [
      ['B2', 'A question <mentions/>'],
      ['B2', 'An answer'],
    ].map(
      ([cell, text]) =>
        `<threadedComment ref="${cell}" personId="{1}"><text>${text?.replace(/<.*/, '')}</text><mentions/></threadedComment>`,
    );
    const file = workbookOf(['<c><v>15</v></c>', '<c><v>16</v></c>', ''], {}, [
      related(
        ['comments', '../comments1.xml'],
        ['threadedComment', '../threadedComments/threadedComment1.xml'],
        ['comments', '../missing.xml'],
      ),
      legacy(['B2', '[Threaded comment]'], ['B3', 'twice'], ['B1', 'x'.repeat(300)], ['C99', 'elsewhere']),
      part('xl/threadedComments/threadedComment1.xml', `<ThreadedComments>${threads.join('')}</ThreadedComments>`),
    ]);
    expect(await readings(file)).toEqual({
      B1: `comment: Ada: ${'x'.repeat(195)} → Voltage (kV)`,
      B2: 'comment: A question An answer → 15',
      B3: 'comment: Ada: twice → 16',
    });
    // The reader of named columns has no notes.
    const named = await importTable(
      zipOf([
        ...workbookParts(
          '<sheetData><row><c t="inlineStr"><is><t>voltage</t></is></c></row><row><c><v>1</v></c></row></sheetData>',
        ),
        related(['comments', '../comments1.xml']),
        part('xl/comments1.xml', '<comments'),
      ]),
      references,
    );
    expect(named.problems.count).toBe(0);
  });

  test('beyond 50,000 are refused', async () => {
    const many = Array.from({ length: 50_001 }, (_, at): [string, string] => [`A${at + 1}`, 'x']);
    await expect(
      read(workbookOf([], {}, [related(['comments', '../comments1.xml']), legacy(...many)])),
    ).rejects.toThrow(/50000 comments/);
  });
});

test('the cells of a sheet have their formatting', async () => {
  const file = await exceljsOf((sheet) => {
    sheet.addRow(['Polymer', 'Humidity', 'Voltage']);
    sheet.addRow(['PVA', 0.45, { richText: [{ text: '10' }, { text: '3', font: { vertAlign: 'superscript' } }] }]);
    sheet.addRow(['PVA', new Date(0), 15]);
    sheet.getCell('B2').numFmt = '0.0%';
    sheet.getCell('B3').note = 'a date';
    sheet.getRow(2).hidden = true;
    sheet.getColumn(3).hidden = true;
  });
  const outcome = await sheetValues(file, references, undefined);
  expect('json' in outcome && JSON.parse(outcome.json.toString())).toEqual({
    file: { kind: 'xlsx', sheet: 'Runs', sheets: ['Runs'] },
    merged: [],
    hiddenColumns: ['C'],
    rows: [
      { number: 1, cells: ['Polymer', 'Humidity', 'Voltage'] },
      {
        number: 2,
        isHidden: true,
        cells: ['PVA', { kind: 'formatted', value: '45 %', shown: '45.0%', format: 'percent-format' }, '10³'],
      },
      {
        number: 3,
        cells: ['PVA', { kind: 'formatted', value: expect.stringMatching(/^#VALUE! .*date/), comment: 'a date' }, 15],
      },
    ],
  });
});

test('the reader of named columns refuses struck cells and superscripts in numbers', async () => {
  const file = await exceljsOf((sheet) => {
    sheet.addRow(['polymer(s)', 'voltage', 'publication_title', 'humidity', 'temperature']);
    sheet.addRow([
      'PVA',
      15,
      'A title',
      0.45,
      { richText: [{ text: '10' }, { text: '3', font: { vertAlign: 'superscript' } }] },
    ]);
    sheet.getCell('B2').font = { strike: true };
    sheet.getCell('C2').font = { strike: true };
    sheet.getCell('D2').numFmt = '0%';
    sheet.getRow(2).hidden = true;
  });
  const { problems } = await importTable(file, references);
  expect(problems.problems.map(({ path, code }) => [path, code])).toEqual([
    ['Runs!B2', 'INVALID_FORMAT'],
    ['Runs!C2', 'INVALID_FORMAT'],
    ['Runs!E2', 'WRONG_TYPE'],
  ]);
});
