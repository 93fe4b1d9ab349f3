import { describe, expect, test } from '@jest/globals';
import { recordFields } from '../../src/catalog/catalog.ts';
import { validateSubmission } from '../../src/validate/validate-submission.ts';
import { references } from '../seed-lists.ts';

const POLYMERS = 'polymerProperty.polymerComponents';
const SOLVENTS = 'solventProperty.solventComponents';

/** Returns the problems of a record with one number, at a path such as `processParameter.voltage`. */
function problemsOf(path: string, value: number, unit: string | undefined) {
  const [group = '', list, member = list ?? ''] = path.split('.');
  const members = { [member]: value, ...(unit === undefined ? {} : { [`${member}Unit`]: unit }) };
  const inner = path.startsWith(POLYMERS) || path.startsWith(SOLVENTS) ? { [list ?? '']: [members] } : members;
  const isNested = member.length > 0 && list !== member && inner === members;
  const record = { [group]: isNested ? { [list ?? '']: inner } : inner };
  return validateSubmission({ experimentData: [record] }, references, { userMetadata: 'optional' }).problems;
}

describe('a number is valid if it is physically possible', () => {
  const shares = [0, 100, 100.00005] as const;
  const noShares = [-1, 100.1, 240] as const;
  test.each<[path: string, unit: string | undefined, possible: readonly number[], impossible: readonly number[]]>([
    ['ambientParameter.humidity', undefined, shares, noShares],
    ['ambientParameter.humidity', '% RH', shares, noShares],
    ['ambientParameter.humidity', 'fraction', [0, 1], [-0.01, 1.01, 1e308]],
    ['functionalProperty.porosity', 'vol%', shares, noShares],
    [`${POLYMERS}.weightRatio`, '%', shares, noShares],
    [`${POLYMERS}.weightRatio`, undefined, [0, 240], [-1]],
    [`${POLYMERS}.weightRatio`, 'w/w', [0, 240], [-1]],
    [`${POLYMERS}.polymerWeight`, 'g', [0, 240], [-1]],
    [`${SOLVENTS}.weight`, 'wt%', shares, noShares],
    [`${SOLVENTS}.volumeRatio`, 'vol%', shares, noShares],
    ['solutionProperty.concentration', undefined, shares, noShares],
    ['solutionProperty.concentration', 'vol%', shares, noShares],
    ['solutionProperty.concentration', 'mg/g', [0, 1_000], [-1, 1_001]],
    ['solutionProperty.concentration', '% w/v', [0, 240], [-1]],
    ['solutionProperty.concentration', 'g/L', [0, 1_500], [-1]],
    ['solutionProperty.evaporationRate', '%/h', [0, 240], [-1]],
    ['fiberProperty.fiberDiameterVariation', '%', [0, 240], [-1]],
    ['mechanicalProperty.elongationAtBreak', '%', [0, 900], [-1]],
    ['ambientParameter.temperature', undefined, [-273.15, 1_000], [-273.2, -400]],
    ['ambientParameter.temperature', '°F', [-459.67], [-460]],
    ['ambientParameter.temperature', 'K', [0], [-1]],
    ['processParameter.tipCollectorDistance', undefined, [1e-9], [0, -5]],
    ['fiberProperty.fiberDiameter', 'µm', [0.1], [0, -240]],
    [`${POLYMERS}.molecularWeight`, 'kDa', [80], [0, -1]],
    ['solutionProperty.viscosity', 'cP', [1], [0, -1]],
    ['processParameter.spinningDuration', 'min', [1], [0, -1]],
    ['processParameter.voltage', 'V', [-15_000, 15_000], [0]],
    ['processParameter.flowRate', undefined, [0, 1], [-1]],
    ['functionalProperty.wettability', undefined, [0, 180], [-1, 181]],
    ['functionalProperty.wettability', 'rad', [3.141_592_7], [3.2]],
    ['solutionProperty.pH', undefined, [-2, 16], [-2.1, 16.1, 240]],
    ['needleProperty.needleDefinition.size', 'G', [22], [0, -22]],
    ['collectorProperty.collectorDefinition.rotationSpeed', 'rpm', [0, 300], [-300]],
  ])('%s in %s', (path, unit, possible, impossible) => {
    expect(possible.filter((value) => problemsOf(path, value, unit).length > 0)).toEqual([]);
    const at = path.replace('Components.', 'Components[0].');
    for (const value of impossible) {
      expect(problemsOf(path, value, unit)).toMatchObject([
        { path: `experimentData[0].${at}`, code: 'IMPOSSIBLE_VALUE', message: expect.stringContaining(String(value)) },
      ]);
    }
  });

  test('the message names the value and the possible ones, in the unit of the limits', () => {
    const messages = [
      problemsOf('ambientParameter.humidity', 2.4, 'fraction'),
      problemsOf('ambientParameter.temperature', -500, '°F'),
      problemsOf('fiberProperty.fiberDiameter', -240, undefined),
      problemsOf('processParameter.voltage', 0, undefined),
    ].map(([problem]) => problem?.message);
    expect(messages).toEqual([
      'The value 2.4 fraction is physically impossible; expected 0 to 100 %.',
      'The value -500 °F is physically impossible; expected at least -273.15 °C.',
      'The value -240 nm is physically impossible; expected more than 0.',
      'The value 0 kV is physically impossible; expected a number other than 0.',
    ]);
  });

  test('a value with an unknown unit has only the problem of the unit', () => {
    expect(problemsOf('ambientParameter.humidity', 240, 'kV').map(({ code }) => code)).toEqual(['UNIT_NOT_APPLICABLE']);
  });

  test('a number as text among free members has the same limits', () => {
    const needleDefinition = { size: '-22', unit: 'G' };
    const body = { experimentData: [{ needleProperty: { needleDefinition } }] };
    expect(validateSubmission(body, references, { userMetadata: 'optional' }).problems).toMatchObject([
      { path: 'experimentData[0].needleProperty.needleDefinition.size', code: 'IMPOSSIBLE_VALUE' },
    ]);
  });

  test('a limit other than 0 is in the canonical unit of a field whose values may lack a unit', () => {
    const { temperature, humidity } = recordFields.ambientParameter.fields;
    const { porosity, wettability } = recordFields.functionalProperty.fields;
    const fields = [temperature, humidity, porosity, wettability, recordFields.solutionProperty.fields.concentration];
    const canonical = new Set(references.lists.units.map((entry) => entry.canonical));
    expect(fields.filter(({ defaultUnit }) => !canonical.has(defaultUnit))).toEqual([]);
  });
});
