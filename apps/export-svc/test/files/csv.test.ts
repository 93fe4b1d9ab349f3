import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { flatten, flattenedColumns, type FlatRow, unflatten } from '@esd/record/flatten/flatten';
import { runs } from '@esd/testing/property-runs';
import { complete, recordOf } from '../../../../libs/record/test/generated-records.ts';
import { guardFormula, unguardFormula } from '@esd/record/sheet/formula-guard';
import { csvField, csvLine } from '@esd/record/sheet/csv-line';
import { csvLineOf } from '../csv-of.ts';
import { csvRows } from '../csv-rows.ts';

/** Returns the cells that a spreadsheet reads from a field if it splits at `separator`. */
function cellsOf(field: string, separator: string): string[] {
  if (field.startsWith('"')) return [field.slice(1, -1).replaceAll('""', '"')];
  return field.split(separator);
}

/** Returns the data of a row as if it were submitted again. */
const again = (row: FlatRow): ExperimentData => recordOf(unflatten(row).item).data;

test('a line contains the cells of its row', () => {
  fc.assert(
    fc.property(complete, fc.integer({ min: 1, max: 2 ** 31 }), ({ data }, id) => {
      const [read = {}] = csvRows(csvLine(flattenedColumns) + csvLineOf(id, data));
      expect(unflatten(read).recordId).toBe(id);
      expect(again(read)).toEqual(again(flatten(id, data)));
    }),
    { numRuns: runs(500) },
  );
});

describe('formulas in texts', () => {
  test.each([
    ['=1+1', `'=1+1`],
    ['+1', `'+1`],
    ['-1', `'-1`],
    ['@SUM(A1)', `'@SUM(A1)`],
    [`'=1`, `''=1`],
    [`'quoted'`, `'quoted'`],
    ['\t1', `'\t1`],
    ['\r=1', `'\r=1`],
    ['＝1', `'＝1`],
    ['a;=1', `'a;=1`],
    ['a\t@b', `'a\t@b`],
    [`'a;=1`, `''a;=1`],
    ['a=1', 'a=1'],
    ['a; b', 'a; b'],
    [`'a; b`, `'a; b`],
    ['', ''],
  ])('%s is written as %s', (text, written) => {
    expect(guardFormula(text)).toBe(written);
    expect(unguardFormula(written)).toBe(text);
  });

  const texts = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'\'=+-@\t\r\n;,"a1＝'.split('')), maxLength: 8 }),
    fc.string({ unit: 'binary' }),
  );

  test('no field begins a formula, whichever separator a spreadsheet uses', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(',', ';', '\t'), (text, separator) => {
        for (const cell of cellsOf(csvField(text), separator)) expect(cell).not.toMatch(/^[=+\-@\t\r＝＋－＠]/);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('a guard is one apostrophe in a quoted field, and every text is unchanged after a round trip', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const guarded = guardFormula(text);
        expect([text, `'${text}`]).toContain(guarded);
        expect(unguardFormula(guarded)).toBe(text);
        if (guarded !== text) expect(csvField(text)).toBe(`"${guarded.replaceAll('"', '""')}"`);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('texts are guarded, negative numbers remain numbers, and fields are quoted only if necessary', () => {
    const line = csvLineOf(1, {
      researchMetadata: { publicationTitle: '=HYPERLINK("x","y")', deviceModel: 'a\nb' },
      needleProperty: { needleType: 'a, b' },
      collectorProperty: { collectorType: 'a\rb' },
      ambientParameter: { temperature: -5.5, temperatureUnit: '°C' },
    });
    expect(line).toContain(',"a, b",');
    expect(line).toContain(',"a\rb",');
    expect(line).toContain(`,"'=HYPERLINK(""x"",""y"")",`);
    expect(line).toContain(',"a\nb",');
    expect(line).toContain(',-5.5,°C,');
    expect(line.startsWith(',1,false,,,false,,,')).toBe(true);
    expect(line.endsWith(',\r\n')).toBe(true);
  });
});
