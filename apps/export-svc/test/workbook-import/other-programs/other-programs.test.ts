import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { NO_OPTIONS } from '@esd/record/sheet/sheet-options';
import { references } from '../../../../../libs/record/test/seed-lists.ts';
import { openGrid } from '../../../src/workbook-import/guess-sheet.ts';

const options = {
  ...NO_OPTIONS,
  accept: new Map([['struck', 'without'] as const, ['footnote', 'value'] as const, ['power', 'power'] as const]),
};

async function read(program: string) {
  const bytes = await readFile(new URL(`${program}.xlsx`, import.meta.url));
  const opened = await openGrid(bytes, references, options, undefined);
  if ('kind' in opened || 'kind' in opened.reading) throw new Error(JSON.stringify(opened));
  return opened.reading;
}

const experiment = (
  sampleId: string,
  polymerName: string,
  concentration: number,
  voltage: number,
  flowRate: number,
  humidity: number,
  fiber: object,
) => ({
  researchMetadata: { sampleId },
  polymerProperty: { polymerComponents: [{ polymerName }] },
  solutionProperty: { concentration, concentrationUnit: 'wt%' },
  processParameter: { voltage, voltageUnit: 'kV', flowRate, flowRateUnit: 'mL/h' },
  ambientParameter: { humidity, humidityUnit: '%' },
  fiberProperty: { fiberDiameterUnit: 'nm', ...fiber },
});

// `make.py` has the sheet that each program wrote.
test.each(['xlsxwriter', 'openpyxl', 'libreoffice', 'google'])(
  'the workbook of %s is read with its formatting',
  async (program) => {
    const { headingRow, columns, rows, notes, repairs } = await read(program);
    const spread = { fiberDiameterVariation: 30, fiberDiameterVariationUnit: 'nm' };
    expect(rows.map(({ row, reason, item, errors }) => [row, reason, item, errors])).toEqual([
      [3, null, experiment('S1', 'PVA', 8, 15, 0.5, 45, { fiberDiameter: 240, ...spread }), []],
      [4, null, experiment('S2', 'PVA', 10, 18, 1.25, 50, { fiberDiameter: 310 }), []],
      [5, 'hidden', null, []],
      [6, null, experiment('S3', 'PCL', 12, 20, 2, 40, { fiberDiameter: 1000 }), []],
    ]);
    expect([headingRow, repairs]).toEqual([2, []]);
    expect(columns.map(({ state, reads }) => (state === 'read' ? reads : state))).toEqual([
      'sample_id',
      'polymer(s)',
      'solution_concentration',
      'voltage',
      'flow_rate',
      'humidity',
      'left-out',
      'fiber_diameter',
    ]);
    expect(notes.map(({ path, kind }) => `${path.replace('Data!', '')} ${kind}`).sort()).toEqual(
      [
        ...['B3', 'B4'].map((cell) => `${cell} merged`),
        ...['C3', 'C4', 'C6', 'F3', 'F4', 'F6'].map((cell) => `${cell} percent-format`),
        ...['D3', 'D6'].map((cell) => `${cell} format-unit`),
        ...['E3', 'E4', 'E6'].map((cell) => `${cell} decimal-comma`),
        ...['D4 struck', 'H2 footnote', 'H3 plus-minus', 'H4 footnote', 'H6 power'],
      ].sort(),
    );
  },
);
