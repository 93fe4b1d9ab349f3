import { describe, expect, test } from '@jest/globals';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import fc from 'fast-check';
import { columnOfPath } from '../../src/review/record-cells.ts';
import { recordSummaries, submissionSummary, summaryCells } from '../../src/review/record-summary.ts';
import { submissionTable } from '../../src/review/submission-table.ts';

function tableOf(records: readonly ExperimentData[], published: ExperimentData | null = null) {
  const table = submissionTable();
  records.forEach((data, at) =>
    table.add({
      recordId: at + 1,
      revision: 1,
      status: 'PENDING',
      publishedRevision: null,
      warnings: [],
      data,
      published,
    }),
  );
  return table.finish();
}

const recipe = (voltage: number, diameter?: number, unit = 'nm'): ExperimentData => ({
  polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] },
  solventProperty: { solventComponents: [{ solventName: 'DMF' }] },
  processParameter: { voltage, voltageUnit: 'kV' },
  ...(diameter === undefined ? {} : { fiberProperty: { fiberDiameter: diameter, fiberDiameterUnit: unit } }),
});

describe('the table of a submission', () => {
  test('lists 10 warnings of a row, those of high severity first', () => {
    const table = submissionTable();
    const legacy = { path: '', code: 'LEGACY_NAME', message: 'An older spelling.' } as const;
    const duplicate = { path: '', code: 'LIKELY_DUPLICATE', message: 'A duplicate.' } as const;
    const warnings = [...Array.from({ length: 12 }, () => legacy), duplicate];
    const record = { recordId: 1, revision: 1, status: 'PENDING', publishedRevision: null, published: null } as const;
    table.add({ ...record, warnings, data: {} });
    const listed = table.finish().rows[0]?.warnings.map(({ code }) => code);
    expect(listed).toEqual(['LIKELY_DUPLICATE', ...Array.from({ length: 9 }, () => 'LEGACY_NAME')]);
  });

  test('has every value once: in the cell of its row, or as the common value of its column', () => {
    const voltage = fc.record({ voltage: fc.constantFrom(5, 10), voltageUnit: fc.constantFrom('kV', 'V') });
    const record = fc.record(
      {
        processParameter: fc.option(voltage, { nil: {} }),
        ambientParameter: fc.record({ humidity: fc.constantFrom(40), humidityUnit: fc.constant('%') }),
        needleProperty: fc.record({ needleType: fc.constantFrom('flat', 'x'.repeat(90), `${'x'.repeat(90)}y`) }),
      },
      { requiredKeys: ['processParameter'] },
    );
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 6 }), (records) => {
        const { columns, rows } = tableOf(records);
        const differing = columns.filter(({ distinct }) => distinct > 1).length;
        expect(columns.slice(differing).every(({ distinct }) => distinct === 1)).toBe(true);
        records.forEach((data, at) => {
          const { voltage: kV, voltageUnit: unit } = {
            voltage: undefined,
            voltageUnit: undefined,
            ...data.processParameter,
          };
          const column = columns.find((one) => one.column === 'voltage');
          const text = rows[at]?.values['voltage'] ?? column?.value;
          const shown = text && column?.unit ? `${text} ${column.unit}` : text;
          expect(shown ?? undefined).toBe(kV === undefined ? undefined : `${kV} ${unit}`);
        });
        for (const [name, valueOf] of [
          ['voltage', (one: ExperimentData) => JSON.stringify(one.processParameter ?? {})],
          ['needle_type', (one: ExperimentData) => one.needleProperty?.needleType],
          ['humidity', (one: ExperimentData) => JSON.stringify(one.ambientParameter)],
        ] as const) {
          const column = columns.find((one) => one.column === name);
          if (column) expect([name, column.distinct]).toEqual([name, new Set(records.map(valueOf)).size]);
        }
      }),
    );
  });

  test('names the columns that differ from the public revision, in which the unit counts', () => {
    const { rows } = tableOf([recipe(10, 100, 'µm')], recipe(11, 100, 'nm'));
    expect(rows[0]?.changed).toEqual(['voltage', 'fiber_diameter']);
  });

  test('describes components and free objects for people', () => {
    const { columns } = tableOf([
      {
        polymerProperty: {
          polymerComponents: [{ polymerName: 'PVA', weightRatio: 70, weightRatioUnit: 'wt%' }, { polymerName: 'PEO' }],
        },
        needleProperty: { needleDefinition: { size: 0.8, unit: 'mm' } },
        collectorProperty: { collectorDefinition: { rotationSpeed: 2000, rotationSpeedUnit: 'rpm' } },
        fiberProperty: { isFormationStable: true },
      },
    ]);
    expect(columns.map(({ column, value }) => [column, value])).toEqual([
      ['polymer(s)', 'PVA–PEO'],
      ['polymer_components', 'PVA (weight ratio 70 wt%); PEO'],
      ['needle_definition', '0.8 mm'],
      ['collector_definition', 'rotation speed 2000 rpm'],
      ['was_formation_stable', 'yes'],
    ]);
  });
});

test.each([
  ['processParameter.voltage', 'voltage'],
  ['solventProperty.solventComponents[0].solventName', 'solvent(s)'],
  ['polymerProperty.polymerComponents[].weightRatio', 'polymer_components'],
  ['needleProperty.needleDefinition.size', 'needle_definition'],
  ['fiberImages[2].imageType', 'fiber_images'],
  ['researchMetadata.doi', 'doi'],
  ['', undefined],
])('the column of the path %j is %s', (path, column) => {
  expect(columnOfPath(path)).toBe(column);
});

describe('a summary', () => {
  const summaries = (records: readonly ExperimentData[]) => recordSummaries(records.map(summaryCells));

  test('names the values that differ, the polymer first, at most four', () => {
    const first: ExperimentData = {
      ...recipe(15, 240),
      solutionProperty: { concentration: 10, concentrationUnit: 'wt%' },
      ambientParameter: { humidity: 40 },
    };
    const second: ExperimentData = {
      polymerProperty: { polymerComponents: [{ polymerName: 'PCL' }] },
      solventProperty: { solventComponents: [{ solventName: 'WATER' }] },
      processParameter: { voltage: 20, voltageUnit: 'kV' },
      fiberProperty: { fiberDiameter: 300, fiberDiameterUnit: 'nm' },
    };
    expect(summaries([first, second])).toEqual(['PVA · DMF · 10 wt% · 15 kV', 'PCL · WATER · 20 kV · 300 nm']);
  });

  test('of a single record, or of equal ones, has its quantities without the polymer', () => {
    expect(summaries([recipe(15, 240)])).toEqual(['DMF · 15 kV · 240 nm']);
    expect(summaries([recipe(15), recipe(15)])).toEqual(['DMF · 15 kV', 'DMF · 15 kV']);
  });

  test('of a submission has the ranges of what differs', () => {
    const of = (...records: ExperimentData[]) => submissionSummary(records.map(summaryCells));
    expect(of(recipe(20, 300), recipe(9, 120))).toBe('9–20 kV · 120–300 nm');
    expect(of(recipe(10, 300), recipe(10, 0.2, 'µm'))).toBe('300 nm, 0.2 µm');
    expect(of(recipe(10, 300))).toBe('DMF · 10 kV · 300 nm');
    expect(of()).toBe('');
  });
});
