import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { publicRecordJson } from '../../src/catalog/public-record.ts';
import { fieldPicker, fieldsText, parseFields } from '../../src/catalog/chosen-fields.ts';
import { recordFields } from '../../src/catalog/catalog.ts';
import { features } from '../../src/filter/filter-keys.ts';
import { normalizedCells, normalizedColumns } from '../../src/flatten/normalized-columns.ts';
import { complete } from '../generated-records.ts';

const fieldsOf = (text: string): readonly string[] => {
  const parsed = parseFields(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.fields;
};
const read = (json: string): unknown => JSON.parse(json);

const record = {
  recordId: 7,
  experimentId: 7,
  polymerProperty: {
    polymerComponents: [{ polymerName: 'PVA', weightRatio: 60, weightRatioUnit: '%' }, { polymerName: 'PEO' }],
  },
  needleProperty: { needleDefinition: { size: 22, unit: 'G' } },
  processParameter: {
    voltage: 12,
    voltageUnit: 'kV',
    flowRate: 1,
    instability: [{ category: 'jet', label: 'whipping' }],
  },
  mechanicalProperty: { modulus: 3, modulusUnit: 'GPa', modulus_unit: 'GPa' },
};

test.each([
  ['recordId', { recordId: 7 }],
  ['experimentId', { recordId: 7, experimentId: 7 }],
  ['processParameter', { recordId: 7, processParameter: record.processParameter }],
  ['processParameter.voltage', { recordId: 7, processParameter: { voltage: 12, voltageUnit: 'kV' } }],
  ['processParameter.voltageUnit', { recordId: 7, processParameter: { voltageUnit: 'kV' } }],
  ['mechanicalProperty.modulus', { recordId: 7, mechanicalProperty: record.mechanicalProperty }],
  ['mechanicalProperty.modulus_unit,recordId', { recordId: 7, mechanicalProperty: { modulus_unit: 'GPa' } }],
  [
    'polymerProperty.polymerComponents.polymerName',
    { recordId: 7, polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }, { polymerName: 'PEO' }] } },
  ],
  [
    'polymerProperty.polymerComponents.weightRatio',
    { recordId: 7, polymerProperty: { polymerComponents: [{ weightRatio: 60, weightRatioUnit: '%' }, {}] } },
  ],
  ['polymerProperty.polymerComponents.molecularWeight', { recordId: 7 }],
  ['needleProperty.needleDefinition', { recordId: 7, needleProperty: record.needleProperty }],
  ['processParameter.instability.label', { recordId: 7, processParameter: { instability: [{ label: 'whipping' }] } }],
  ['fiberProperty,fiberImages.imageId', { recordId: 7 }],
])('`%s` selects the named members and their units', (text, expected) => {
  expect(fieldPicker(fieldsOf(text))(record)).toEqual(expected);
});

test('equivalent spellings give the same selection', () => {
  const selection = fieldsText(fieldsOf('processParameter.voltage,mechanicalProperty'));
  for (const text of [
    'mechanicalProperty,processParameter.voltage',
    'mechanicalProperty,mechanicalProperty.modulus,processParameter.voltageUnit,processParameter.voltage,recordId',
    'processParameter.voltage,mechanicalProperty,processParameter.voltage',
  ]) {
    expect(fieldsText(fieldsOf(text))).toBe(selection);
  }
  expect(selection).toBe('processParameter.voltage,mechanicalProperty');
});

test('all groups together select the whole record except `experimentId`', () => {
  const groups = [...Object.keys(recordFields), 'experimentId'].join();
  fc.assert(
    fc.property(complete, ({ data }) => {
      const json = publicRecordJson(5, data);
      expect(JSON.stringify(fieldPicker(fieldsOf(groups))(read(json)))).toBe(json);
    }),
    { numRuns: runs(30) },
  );
});

test.each([
  ['voltage', '"voltage" is not one; nearest: "processParameter.voltage"'],
  ['processParameter.voltge', 'nearest: "processParameter.voltage"'],
  ['polymerProperty.polymerComponents[0].polymerName', 'nearest: "polymerProperty.polymerComponents.polymerName"'],
  ['polymerproperty', 'nearest: "polymerProperty"'],
  ['solution_viscosity', 'nearest: "solutionProperty.viscosity"'],
  ['', 'empty name'],
  ['fiberProperty,', 'empty name'],
  ['needleProperty.needleDefinition.size', 'nearest: "needleProperty.needleDefinition"'],
])('`%s` is an error that names the nearest member', (text, expected) => {
  expect(parseFields(text)).toEqual({ problem: expect.stringContaining(expected) });
});

test('every feature has its own column, and missing values are absent', () => {
  // The number of measured fibers has no unit, so that its flattened column suffices.
  expect(new Set(normalizedColumns).size).toBe(features.length + 1);
  const normalized = { flowRate: 0.3, voltage: 12, fieldStrength: 1.5 };
  expect(normalizedCells({ recordId: 1, normalized, paper: { year: 2014, journal: 'Polymer' } })).toEqual({
    publication_year: 2014,
    journal: 'Polymer',
    voltage_kv: 12,
    flow_rate_ml_h: 0.3,
    field_strength_kv_cm: 1.5,
  });
  expect(() => normalizedCells({ recordId: 1 })).toThrow('normalized');
});
