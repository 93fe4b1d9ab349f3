import { describe, expect, test } from '@jest/globals';
import { validateSubmission } from '../../src/validate/validate-submission.ts';
import type { ValidRecord, SubmissionCheck } from '../../src/validate/validate-submission.ts';
import { references } from '../seed-lists.ts';

const polymerProperty = { polymerComponents: [{ polymerName: 'PCL' }] };
const imageId = '0197a0b0-0000-7000-8000-00000000000a';

const check = (input: unknown, userMetadata: 'required' | 'optional' = 'optional'): SubmissionCheck =>
  validateSubmission(input, references, { userMetadata });
const checkItem = (item: unknown): SubmissionCheck => check({ experimentData: [item] });

function recordOf(item: object): ValidRecord {
  const { problems, submission } = checkItem({ polymerProperty, ...item });
  expect(problems).toEqual([]);
  const [record] = submission?.records ?? [];
  if (record === undefined) throw new Error('no record');
  return record;
}

test('a submission without an account requires name, email and consent', () => {
  const item = { polymerProperty };
  const missing = ['name', 'email', 'consentTerms'].map((member) => ({
    path: `userMetadata.${member}`,
    code: 'MISSING_VALUE',
  }));
  for (const userMetadata of [undefined, null, {}, { name: ' ', email: null }]) {
    expect(check({ userMetadata, experimentData: [item] }, 'required').problems).toMatchObject(missing);
    expect(check({ userMetadata, experimentData: [item] }).problems).toEqual([]);
  }
  const full = {
    name: ' Ada ',
    email: 'ada@example.org',
    consentTerms: true,
    orcid: 'https://orcid.org/0000-0002-1825-0097',
  };
  const { submission } = check({ userMetadata: full, experimentData: [item] }, 'required');
  expect(submission?.userMetadata).toEqual({ ...full, name: 'Ada', orcid: '0000-0002-1825-0097' });
});

test('all problems are reported in the order of the body', () => {
  const { problems, problemCount } = check({
    userMetadata: { consentTerms: false },
    experimentData: [
      { polymerProperty: { polymerComponents: [{ polymerName: 'XX_Y' }, { polymerName: 'CAP' }] } },
      { processParameter: { voltage: '1', voltageUnit: 'cm', flow: 2 } },
    ],
  });
  expect(problemCount).toBe(6);
  expect(problems.map(({ code }) => code)).toEqual([
    'CONSENT_REQUIRED',
    'UNKNOWN_POLYMER',
    'AMBIGUOUS_NAME',
    'UNKNOWN_MEMBER',
    'WRONG_TYPE',
    'UNIT_NOT_APPLICABLE',
  ]);
});

test('the stored form has names, labels and units as the lists spell them, trimmed texts and current member names', () => {
  const { data, missingFields, warnings } = recordOf({
    polymerProperty: {
      polymerComponents: [
        { polymerName: ' polycaprolactone ', weightRatio: 60, weightRatioUnit: 'w/w%' },
        { polymerName: 'nylon 6', weightRatio: 40, weightRatioUnit: '%' },
      ],
    },
    solventProperty: {
      solventComponents: [{ solventName: 'n,n-dimethylformamide', volumeRatio: 3, volumeRatioUnit: 'v:v' }],
    },
    solutionProperty: {
      solutionViscosity: 100,
      solutionViscosityUnit: 'mPa.s',
      solutionConductivity: 2,
      solutionConductivityUnit: 'uS/cm',
      PH: 7,
    },
    needleProperty: {
      needleType: '\tcoaxial\n',
      needleDefinition: {
        unit: 'gauge',
        size: 22,
        outer: { diameter: 1, diameterUnit: 'μm' },
        empty: '',
        list: [1, 'a', true],
        none: null,
      },
    },
    processParameter: {
      flowRate: -0,
      voltageUnit: 'KV',
      instability: ['bending', { category: 'Jet', label: 'rayleigh instability' }],
    },
    fiberProperty: {
      isFormationStable: 'Yes',
      fiberMorphology: [{ category: 'Defects', label: 'beads' }, 'CORE-SHELL'],
    },
    mechanicalProperty: {
      tensile_strength: 5,
      tensile_strength_unit: 'N/mm2',
      fracture_behaviour: 'brittle\u0085or ductile\u0085',
    },
    functionalProperty: { porosity: 80, porosity_unit: 'per cent', permeability_unit: 'cm2', surfaceArea: null },
    fiberImages: [{ imageId: imageId.toUpperCase(), imageType: 'SEM' }],
    researchMetadata: {},
    collectorProperty: { collectorType: '   ', collectorDefinition: {} },
  });
  expect(data).toEqual({
    polymerProperty: {
      polymerComponents: [
        { polymerName: 'PCL', weightRatio: 60, weightRatioUnit: 'wt%' },
        { polymerName: 'PA6', weightRatio: 40, weightRatioUnit: '%' },
      ],
    },
    solventProperty: { solventComponents: [{ solventName: 'DMF', volumeRatio: 3, volumeRatioUnit: 'v/v' }] },
    solutionProperty: { viscosity: 100, viscosityUnit: 'mPa·s', conductivity: 2, conductivityUnit: 'µS/cm', pH: 7 },
    needleProperty: {
      needleType: 'coaxial',
      needleDefinition: { unit: 'G', size: 22, outer: { diameter: 1, diameterUnit: 'µm' }, list: [1, 'a', true] },
    },
    processParameter: {
      flowRate: 0,
      voltageUnit: 'kV',
      instability: [
        { category: 'Jet', label: 'Whipping' },
        { category: 'Jet', label: 'Rayleigh' },
      ],
    },
    fiberProperty: {
      isFormationStable: true,
      fiberMorphology: [
        { category: 'Defects', label: 'Bead' },
        { category: 'Composition', label: 'Core-sheath' },
      ],
    },
    mechanicalProperty: { tensileStrength: 5, tensileStrengthUnit: 'MPa', fractureBehaviour: 'brittle\nor ductile' },
    functionalProperty: { porosity: 80, porosityUnit: '%', permeabilityUnit: 'cm²' },
    fiberImages: [{ imageId, imageType: 'SEM' }],
  });
  expect(missingFields).toEqual([]);
  expect(warnings).toEqual([]);
});

test('members added by responses are ignored, and repeated units never override the own member', () => {
  const { submission, problems } = check({
    submissionId: 1,
    status: 'MIXED',
    submittedAt: '2026-01-01T00:00:00Z',
    experimentData: [
      {
        recordId: 'x',
        experimentId: 5,
        status: 'PENDING',
        missingFields: [],
        warnings: [],
        polymerProperty,
        mechanicalProperty: { modulus: 1, modulusUnit: 'GPa', modulus_unit: 'MPa' },
        solutionProperty: { viscosity: 1, solutionViscosity: 1 },
      },
    ],
  });
  expect(problems).toEqual([]);
  expect(submission?.records[0]?.data).toEqual({
    polymerProperty,
    mechanicalProperty: { modulus: 1, modulusUnit: 'GPa' },
    solutionProperty: { viscosity: 1 },
  });
});

test('research metadata of a record overrides that of the submission, member by member', () => {
  const { submission } = check({
    researchMetadata: { doi: '10.1234/all', publicationTitle: 'All', customDevice: false },
    experimentData: [
      { polymerProperty, researchMetadata: { doi: 'doi:10.1234/ONE', publicationTitle: null } },
      { polymerProperty },
    ],
  });
  expect(submission?.researchMetadata).toEqual({ doi: '10.1234/all', publicationTitle: 'All', customDevice: false });
  expect(submission?.records.map(({ data }) => data.researchMetadata)).toEqual([
    { doi: 'doi:10.1234/ONE', publicationTitle: 'All', customDevice: false },
    { doi: '10.1234/all', publicationTitle: 'All', customDevice: false },
  ]);
});

describe('missing mandatory fields are listed, not problems', () => {
  const component = 'polymerProperty.polymerComponents[].polymerName';
  const solvent = 'solventProperty.solventComponents[].solventName';
  test.each<[string, object, string[]]>([
    ['no polymer information', {}, ['polymerProperty']],
    ['null', { polymerProperty: null }, ['polymerProperty']],
    ['an empty group', { polymerProperty: {} }, [component]],
    ['no component', { polymerProperty: { polymerComponents: [] } }, [component]],
    ['a component without a name', { polymerProperty: { polymerComponents: [{ polymerWeight: 3 }] } }, [component]],
    ['an empty name', { polymerProperty: { polymerComponents: [{ polymerName: ' ' }] } }, [component]],
    [
      'one of two without a name',
      { polymerProperty: { polymerComponents: [{ polymerName: 'PCL' }, { polymerWeight: 3 }] } },
      [component],
    ],
    [
      'an empty component next to a named one',
      { polymerProperty: { polymerComponents: [{ polymerName: 'PCL' }, {}] } },
      [],
    ],
    [
      'a solvent without a name',
      { polymerProperty, solventProperty: { solventComponents: [{ solventName: 'DMF' }, {}] } },
      [solvent],
    ],
    ['no solvent', { polymerProperty, solventProperty: { solventComponents: [] } }, []],
    ['all', { solventProperty: { solventComponents: [{ weight: 1 }, {}] } }, ['polymerProperty', solvent]],
  ])('%s', (_title, item, missing) => {
    const { problems, submission } = checkItem(item);
    expect(problems).toEqual([]);
    expect(submission?.records[0]?.missingFields).toEqual(missing);
  });

  test('an image-only record has no mandatory scientific fields', () => {
    const fiberImages = [{ imageId }];
    const items = [{ fiberImages }, { fiberImages, polymerProperty: {}, solventProperty: { solventComponents: [{}] } }];
    const { problems, submission } = check({ experimentData: items, imageOnly: true });
    expect(problems).toEqual([]);
    expect(submission?.imageOnly).toBe(true);
    expect(submission?.records.map((record) => record.missingFields)).toEqual([[], []]);
    const unnamed = { fiberImages, solventProperty: { solventComponents: [{ weight: 1 }] } };
    expect(check({ experimentData: [unnamed], imageOnly: true }).submission?.records[0]?.missingFields).toEqual([
      solvent,
    ]);
  });
});

describe('warnings', () => {
  const ratios = (...values: number[]): object => ({
    polymerProperty: {
      polymerComponents: values.map((weightRatio) => ({ polymerName: 'PCL', weightRatio, weightRatioUnit: 'wt%' })),
    },
  });
  test.each<[string, object, string[]]>([
    ['ratios that add up', ratios(33.3, 33.3, 33.3), []],
    ['ratios that do not add up', ratios(50, 30), ['RATIO_SUM polymerProperty.polymerComponents[].weightRatio']],
    [
      'ratios that are not percentages',
      { polymerProperty: { polymerComponents: [{ polymerName: 'PCL', weightRatio: 3, weightRatioUnit: 'w/w' }] } },
      [],
    ],
    [
      'a ratio that is missing',
      {
        polymerProperty: {
          polymerComponents: [{ polymerName: 'PCL', weightRatio: 30, weightRatioUnit: '%' }, { polymerName: 'PLA' }],
        },
      },
      [],
    ],
    [
      'solvent ratios that do not add up',
      { solventProperty: { solventComponents: [{ solventName: 'DMF', volumeRatio: 70, volumeRatioUnit: 'vol%' }] } },
      ['RATIO_SUM solventProperty.solventComponents[].volumeRatio'],
    ],
    ['pH 14', { solutionProperty: { pH: 14 } }, []],
    ['pH 15', { solutionProperty: { pH: 15 } }, ['PH_OUT_OF_RANGE solutionProperty.pH']],
    ['pH -1', { solutionProperty: { PH: -1 } }, ['PH_OUT_OF_RANGE solutionProperty.pH']],
    [
      'legacy names',
      {
        polymerProperty: { polymerComponents: [{ polymerName: 'sf' }] },
        solventProperty: { solventComponents: [{ solventName: 'DMF' }, { solventName: 'AC' }] },
      },
      [
        'LEGACY_NAME polymerProperty.polymerComponents[0].polymerName',
        'LEGACY_NAME solventProperty.solventComponents[1].solventName',
      ],
    ],
    [
      'another category',
      { fiberProperty: { fiberMorphology: [{ category: 'Shape', label: 'Bead' }] } },
      ['CATEGORY_CORRECTED fiberProperty.fiberMorphology[0].category'],
    ],
    [
      'a web address as DOI',
      { researchMetadata: { doi: 'https://example.org/paper' } },
      ['DOI_NOT_WELL_FORMED researchMetadata.doi'],
    ],
    ['a folder in a DOI', { researchMetadata: { doi: '10.5281/../x' } }, ['DOI_NOT_WELL_FORMED researchMetadata.doi']],
    ['a DOI of a resolver', { researchMetadata: { doi: 'https://doi.org/10.1234/x.' } }, []],
    ['a longer text', { researchMetadata: { doi: '10.1234/x.pdf' } }, ['DOI_SHORTENED researchMetadata.doi']],
  ])('%s', (_title, item, expected) => {
    expect(recordOf(item).warnings.map(({ code, path }) => `${code} ${path}`)).toEqual(expected);
  });
  test('a text with a DOI is stored as sent, with a warning that names both', () => {
    const doi = 'https://example.org/doi/full/10.1234/Abc?x=y';
    const { data, warnings } = recordOf({ researchMetadata: { doi } });
    expect(data.researchMetadata?.doi).toBe(doi);
    expect(warnings.map(({ message }) => message)).toEqual([`The DOI "10.1234/Abc" was read from "${doi}"; check it.`]);
  });
  test('a legacy name is stored as sent, with a warning that names its entry', () => {
    const { data, warnings } = recordOf({ solventProperty: { solventComponents: [{ solventName: 'ac' }] } });
    expect(data.solventProperty?.solventComponents?.[0]?.solventName).toBe('AC');
    expect(warnings[0]?.message).toMatch(/"AC".*"ACETONE"/);
  });
});
