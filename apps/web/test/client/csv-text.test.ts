import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { guardFormula, unguardFormula } from '@esd/record/sheet/formula-guard';
import { csvText } from '../../src/client/save-csv.ts';

test('a text has the same guard as in the files of the service', () => {
  const texts = ['=1', '＝1', '\n=1', "'=1", 'a;=1', 'a\t@b', '-1', 'a-1', "'a"];
  expect(
    cellsOf(
      csvText(
        ['text'],
        texts.map((text) => [text]),
      ),
    ).slice(1),
  ).toEqual(texts.map((text) => [guardFormula(text)]));
  expect(
    csvText(
      ['text', 'number'],
      [
        ['', -1],
        [null, null],
      ],
    ),
  ).toBe('text,number\r\n,-1\r\n,\r\n');
});

test('a spreadsheet reads every text unchanged and evaluates none', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '=', '+', '-', '@', '"', ',', '\r', '\n', '\t', ' ') });
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 2 })), (rows) => {
      const read = cellsOf(csvText(['one', 'two'], rows)).slice(1);
      expect(read.map((row) => row.map(unguardFormula))).toEqual(rows);
      expect(read.flat().filter((text) => /^[=+\-@\t\r]/.test(text))).toEqual([]);
    }),
  );
});

/** Parses CSV by RFC 4180. */
function cellsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
