import { expect, test } from '@jest/globals';
import { outcomeOf } from '../../src/contribute/outcome.ts';

test('the outcome lists what an experiment does not report: paper, solvent, concentration, flow rate, result', () => {
  const whole = {
    solventProperty: { solventComponents: [{ solventName: 'DMF' }] },
    solutionProperty: { concentration: 10 },
    processParameter: { flowRate: 1 },
    fiberProperty: { isFormationStable: false },
  };
  const body = {
    message: '',
    submissionId: 7,
    records: [
      { recordId: 1, status: 'PENDING' as const, missingFields: [], warnings: [] },
      { recordId: 2, status: 'NEEDS_UPDATE' as const, missingFields: ['polymerProperty'], warnings: [] },
    ],
  };
  const missingOf = (shared: object) => outcomeOf(body, [whole, {}], shared).records.map(({ missing }) => missing);
  expect(missingOf({ researchMetadata: { doi: '10.1000/x' } })).toEqual([
    [],
    ['Polymers', 'Solvent', 'Concentration', 'Flow rate', 'Result'],
  ]);
  expect(missingOf({})).toEqual([['Paper'], ['Polymers', 'Paper', 'Solvent', 'Concentration', 'Flow rate', 'Result']]);
});
