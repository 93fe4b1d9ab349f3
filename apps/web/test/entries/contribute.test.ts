import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Field, type Fields, recordFields } from '@esd/record/catalog/catalog';
import { validateSubmission } from '@esd/record/validate/validate-submission';
import { demoRecords } from '../../../../libs/record/test/demo-records.ts';
import { complete } from '../../../../libs/record/test/generated-records.ts';
import { references } from '../../../../libs/record/test/seed-lists.ts';
import { checkAround, checkExperiment } from '../../src/contribute/check-experiment.ts';
import { completeNames } from '../../src/contribute/complete-names.ts';
import { formField, formGroups, POLYMERS, SOLVENTS } from '../../src/contribute/form-fields.ts';
import {
  copyOf,
  emptyExperiment,
  experimentOf,
  fieldsOf,
  type FormValues,
  isEmptyExperiment,
  itemOf,
  withoutEmptyLines,
} from '../../src/contribute/form-values.ts';
import { readTyped } from '../../src/contribute/read-typed.ts';
import type { ReferenceData } from '../../src/contribute/reference-data.ts';

const referenceData: ReferenceData = {
  references,
  ranges: new Map([
    ['=PVA', { voltage: { count: 141, min: 5, max: 50 }, needleDiameter: { count: 99, min: 0.2, max: 1 } }],
  ]),
  counts: {},
};
const name = `${POLYMERS}[0].polymerName`;
const solvent = `${SOLVENTS}[0].solventName`;

const check = (values: FormValues) =>
  checkExperiment({ ...emptyExperiment, values: { [name]: 'PVA', ...values } }, referenceData);
const errors = (values: FormValues) => check(values).errors.map(({ path, text }) => [path, text]);

describe('the form', () => {
  test('has every field of the catalog', () => {
    const leaves = (fields: Fields, before: string): string[] =>
      Object.entries<Field>(fields).flatMap(([member, field]) => {
        if (field.kind === 'group') return leaves(field.fields, `${before}${member}.`);
        return field.kind === 'list' ? leaves(field.fields, `${before}${member}[0].`) : [before + member];
      });
    const shown = new Set(fieldsOf({ [name]: '', [solvent]: '' }).map(({ path }) => path));
    // The paper and the images have fields of their own; for objects, the form has the members in use.
    const elsewhere = /^fiberImages|^researchMetadata\.(doi|publicationTitle)$|Definition$/;
    expect(leaves(recordFields, '').filter((path) => !elsewhere.test(path) && !shown.has(path))).toEqual([]);
    expect(formGroups.filter(({ isOpen }) => !isOpen).length).toBe(9);
  });

  test('returns records of the dataset unchanged', () => {
    for (const record of demoRecords) {
      const { researchMetadata: _, ...item } = record;
      expect(itemOf(experimentOf(item))).toEqual(item);
    }
  });

  test('returns any record unchanged', () => {
    fc.assert(
      fc.property(complete, ({ data }) => {
        const item = itemOf(experimentOf(data));
        const { problems, submission } = validateSubmission({ experimentData: [item] }, references, {
          userMetadata: 'optional',
        });
        expect(problems).toEqual([]);
        expect(submission?.records[0]?.data).toEqual(data);
      }),
      { numRuns: 200 },
    );
  });

  test('copies everything except results and images', () => {
    const values = {
      [name]: 'PVA',
      'processParameter.voltage': '15',
      'processParameter.instability': 'Whipping',
      'fiberProperty.fiberDiameter': '200',
      'mechanicalProperty.modulus': '3',
    };
    const image = { imageId: 'a', name: 'a', contentUrl: '/a', pixelSize: '', pixelSizeUnit: 'nm' };
    expect(copyOf({ values, images: [image] })).toEqual({
      values: { [name]: 'PVA', 'processParameter.voltage': '15' },
      images: [],
    });
  });

  test('does not send empty component lines', () => {
    const values = {
      [`${SOLVENTS}[1].solventName`]: 'DMF',
      [`${SOLVENTS}[1].weight`]: '2',
      [`${SOLVENTS}[0].weightUnit`]: '%',
    };
    expect(withoutEmptyLines({ values, images: [] }).values).toEqual({
      [solvent]: 'DMF',
      [`${SOLVENTS}[0].weight`]: '2',
    });
    expect(isEmptyExperiment({ values: { [solvent]: ' ' }, images: [] })).toBe(true);
  });
});

describe('an experiment', () => {
  test('that is valid has no errors and no warnings', () => {
    expect(check({ 'processParameter.voltage': '15', [solvent]: 'water' })).toEqual({
      errors: [],
      warnings: [],
      polymers: '=PVA',
    });
  });

  test.each<[FormValues, string, string | RegExp]>([
    [
      { 'processParameter.tipCollectorDistance': '-15' },
      'processParameter.tipCollectorDistance',
      'The value -15 cm is physically impossible; expected more than 0.',
    ],
    [
      { 'ambientParameter.humidity': '240' },
      'ambientParameter.humidity',
      'The value 240 % is physically impossible; expected 0 to 100 %.',
    ],
    [
      { 'needleProperty.needleDefinition.size': '-22' },
      'needleProperty.needleDefinition.size',
      'The value -22 is physically impossible; expected more than 0.',
    ],
    [{ 'processParameter.voltage': '12,5' }, 'processParameter.voltage', 'Enter a number such as 12.5'],
    [{ 'processParameter.voltage': '10-15' }, 'processParameter.voltage', 'Enter a number such as 12.5'],
    [{ 'solutionProperty.pH': 'sour' }, 'solutionProperty.pH', 'Enter a number such as 12.5'],
    [{ 'solutionProperty.viscosity': '300' }, 'solutionProperty.viscosity', 'Choose a unit'],
    [
      { 'processParameter.voltage': '15', 'processParameter.voltageUnit': 'cm' },
      'processParameter.voltage',
      '“cm” is not a unit of voltage. Use kV or V.',
    ],
    [{ [name]: 'PVDF-HF' }, name, /^“PVDF-HF” is not in the list\. Did you mean PVDF_HFP/],
    [{ [name]: '' }, name, 'Name the polymer'],
    [{ [`${SOLVENTS}[0].volumeRatio`]: '50', [`${SOLVENTS}[0].volumeRatioUnit`]: '%' }, solvent, 'Name the solvent'],
    [
      { 'processParameter.instability': 'Whipping; Wipping' },
      'processParameter.instability',
      /^“Wipping” is not in the list\. Did you mean Whipping/,
    ],
  ])('with %j has an error at %s', (values, path, text) => {
    expect(errors(values)).toEqual([[path, typeof text === 'string' ? text : expect.stringMatching(text)]]);
  });

  test.each([
    ['processParameter.voltage', '20 kV', [{ reads: '20 kV', number: '20', unit: 'kV' }]],
    ['processParameter.voltage', '0,5', [{ reads: '0.5', number: '0.5', unit: undefined }]],
    ['processParameter.voltage', '20 mL', []],
    ['processParameter.voltage', '20', []],
    ['processParameter.voltage', 'high', []],
    [
      'processParameter.voltage',
      '12-15',
      [12, 13.5, 15].map((value) => ({ reads: String(value), number: String(value), unit: undefined })),
    ],
  ])('at %s reads %s as in a sheet', (path, text, expected) => {
    const read = readTyped(formField(path), { [path]: text }, references);
    const readings = read.map(({ reads, values }) => ({ reads, number: values[path], unit: values[`${path}Unit`] }));
    expect(readings).toEqual(expected);
  });

  test('outside the range of its polymer has a warning, in any unit', () => {
    const { errors: found, warnings } = check({
      'processParameter.voltage': '65000',
      'processParameter.voltageUnit': 'V',
      'needleProperty.needleDefinition.size': '7',
      'solutionProperty.pH': '15',
    });
    expect(found).toEqual([]);
    expect(warnings.map(({ path, text }) => [path, text])).toEqual([
      ['solutionProperty.pH', expect.stringContaining('outside 0 to 14')],
      ['needleProperty.needleDefinition.size', 'Higher than all 99 experiments with PVA (0.2–1 mm).'],
      ['processParameter.voltage', 'Higher than all 141 experiments with PVA (5–50 kV).'],
    ]);
  });

  test('without errors in the form is valid for the service', () => {
    const texts = fc.oneof(
      fc.constantFrom('15', '-1', '0', '12,5', 'x', '1e3', '', 'PVA', 'yes'),
      fc.double().map(String),
    );
    const paths = fieldsOf({ [name]: '', [solvent]: '' }).flatMap(({ path, unitPath }) => [path, unitPath]);
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...paths), texts), (values) => {
        const experiment = withoutEmptyLines({ values, images: [] });
        const { errors: found } = checkExperiment(experiment, referenceData);
        const { problems, submission } = validateSubmission({ experimentData: [itemOf(experiment)] }, references, {
          userMetadata: 'optional',
        });
        const missing = submission?.records[0]?.missingFields ?? [];
        if (problems.length + missing.length > 0) expect(found).not.toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('needs a sender without an account', () => {
    const needed = checkAround({ name: '', email: 'ada' }, { doi: '10.1/a' }, referenceData);
    expect(needed.map(({ path, text }) => [path, text])).toEqual([
      ['userMetadata.email', expect.stringContaining('name@example.org')],
      ['userMetadata.name', 'Enter your name'],
      ['userMetadata.consentTerms', 'Accept the terms before you send'],
    ]);
    expect(checkAround(undefined, {}, referenceData)).toEqual([]);
  });
});

describe('names', () => {
  const first = (text: string, list: 'polymers' | 'solvents' = 'polymers') =>
    completeNames(text, list, references, undefined).matches[0]?.name;

  test.each([
    ['polyvinylidene fluoride', 'PVDF'],
    ['pvdf', 'PVDF'],
    ['polyvinyl alc', 'PVA'],
  ])('%s is completed to %s', (text, expected) => {
    expect(first(text)).toBe(expected);
  });

  test('are found by CAS number', () => {
    expect(first('67-64', 'solvents')).toBe('ACETONE');
  });

  test('with the most public records come first', () => {
    const { matches, found, all } = completeNames('p', 'polymers', references, new Map([['PAN', 1_000]]));
    expect(matches[0]).toMatchObject({ name: 'PAN', count: 1_000 });
    expect(matches.length).toBe(8);
    expect(found).toBeLessThan(all);
  });

  test('every name and alias of the lists is completed to its own name', () => {
    for (const list of ['polymers', 'solvents'] as const) {
      for (const entry of references.lists[list]) {
        for (const text of [entry.name, ...entry.aliases]) {
          const { matches } = completeNames(text, list, references, undefined);
          expect([text, matches.map((match) => match.name)]).toEqual([text, expect.arrayContaining([entry.name])]);
        }
      }
    }
  });
});
