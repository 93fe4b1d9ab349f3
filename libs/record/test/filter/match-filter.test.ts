import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import type { ExperimentData } from '../../src/catalog/catalog.ts';
import { matchFilter } from '../../src/filter/match-filter.ts';
import { parseFilter } from '../../src/filter/parse-filter.ts';
import { demoRecords } from '../demo-records.ts';
import { references, seedLists } from '../seed-lists.ts';

type FilterObject = Readonly<Record<string, string | number>>;

function matches(filter: FilterObject, data: ExperimentData): boolean {
  const result = parseFilter(JSON.stringify(filter));
  if ('problem' in result) throw new Error(result.problem.message);
  return matchFilter(result.filter, data, references);
}

test.each<[filter: FilterObject, data: ExperimentData, matched: boolean]>([
  [{ voltageMin: 10 }, { processParameter: { voltage: 12_000, voltageUnit: 'V' } }, true],
  [{ voltageMin: 12, voltageMax: 12 }, { processParameter: { voltage: 12_000, voltageUnit: 'V' } }, true],
  [{ voltageMin: 12.001 }, { processParameter: { voltage: 12_000, voltageUnit: 'V' } }, false],
  [{ voltageMax: 11.999 }, { processParameter: { voltage: 12_000, voltageUnit: 'V' } }, false],
  [{ concentrationMin: 0 }, { solutionProperty: { concentration: 10, concentrationUnit: 'g/L' } }, false],
  [{ voltageMax: 1e308 }, {}, false],
  [{ isFormationStable: 'yes' }, { fiberProperty: { isFormationStable: true } }, true],
  [{ isFormationStable: 'no' }, { fiberProperty: { isFormationStable: true } }, false],
  [{ isFormationStable: 'no' }, {}, false],
  [{ status: 'PUBLISHED' }, {}, true],
  [{ status: 'APPROVED' }, {}, true],
  [{ status: 'PENDING' }, {}, false],
  [{ status: 'REJECTED' }, {}, false],
  [{ status: 'NEEDS_UPDATE' }, {}, false],
  [
    { polymer: 'pcl' },
    { polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }, { polymerName: 'PCL' }] } },
    true,
  ],
  [{ polymer: 'pcl' }, { solventProperty: { solventComponents: [{ solventName: 'PCL' }] } }, false],
  [{ polymer: 'pcl', voltageMin: 1 }, { polymerProperty: { polymerComponents: [{ polymerName: 'PCL' }] } }, false],
  [{ polymer: '=PVA' }, { polymerProperty: { polymerComponents: [{ polymerName: 'poly(vinyl alcohol)' }] } }, true],
  [{ polymer: '=PV' }, { polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] } }, false],
  [{ polymer: '=PCL|PVA' }, { polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] } }, true],
  [{ polymer: '=' }, { polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] } }, false],
  [{ polymer: '=' }, {}, true],
  [{ collectorType: '=drum' }, { collectorProperty: { collectorType: 'Drum' } }, false],
  [{ collectorType: '=Drum' }, { collectorProperty: { collectorType: 'Drum' } }, true],
  [{ doi: '=doi:10.1234/A' }, { researchMetadata: { doi: 'https://doi.org/10.1234/a.' } }, true],
  [{ doi: '=https://a.example/Pii/S1' }, { researchMetadata: { doi: ' https://a.example/Pii/S1' } }, true],
  [{ doi: '=https://a.example/pii/s1' }, { researchMetadata: { doi: 'https://a.example/Pii/S1' } }, false],
  [{ doi: 'A.example/pii/s1' }, { researchMetadata: { doi: 'https://a.example/Pii/S1' } }, true],
  [{ doi: '=' }, { researchMetadata: { doi: 'https://doi.org/' } }, true],
  [{ isFormationStable: '=' }, {}, true],
  [{ isFormationStable: '=' }, { fiberProperty: { isFormationStable: false } }, false],
  [{ isFormationStable: '=yes|no' }, { fiberProperty: { isFormationStable: false } }, true],
  [{}, {}, true],
])('%j on %j: %p', (filter, data, matched) => {
  expect(matches(filter, data)).toBe(matched);
});

// Counted by another program over the flattened demo table.
test.each<[filter: FilterObject, count: number]>([
  [{}, 809],
  [{ polymer: 'PVDF', voltageMin: 15, voltageMax: 20 }, 114],
  [{ polymer: 'PS' }, 45],
  [{ polymer: 'caprolactone' }, 26],
  [{ polymer: 'lactic' }, 24],
  [{ solvent: 'acetone' }, 349],
  [{ solvent: 'AC' }, 356],
  [{ solvent: 'water' }, 144],
  [{ collectorType: 'rotating' }, 265],
  [{ collectorType: 'flat' }, 544],
  [{ concentrationMin: 10, concentrationMax: 15 }, 335],
  [{ tempMin: 22, tempMax: 25 }, 308],
  [{ humidityMax: 40 }, 238],
  [{ fiberDiameterMax: 200 }, 153],
  [{ variationMax: 20 }, 219],
  [{ needleDiameterMin: 0.4, needleDiameterMax: 0.5 }, 191],
  [{ needleDiameterMin: 1 }, 166],
  [{ doi: 'https://doi.org/10.1002/app' }, 72],
  [{ doi: 'doi:10.1007/S10965-014-0571-8' }, 21],
  [{ isFormationStable: 'no' }, 32],
  [{ solvent: 'DMF', collectorType: 'rotating', flowRateMax: 0.5, tipDistMin: 15, tipDistMax: 20 }, 75],
  [{ status: 'PENDING' }, 0],
])('%j finds %d of the demo records', (filter, count) => {
  expect(demoRecords).toHaveLength(809);
  expect(demoRecords.filter((data) => matches(filter, data))).toHaveLength(count);
});

const lower = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Implements name matching with regular expressions over the rows of the list. */
function nameFound(list: 'polymers' | 'solvents', text: string, stored: string): boolean {
  const row = (name: string | undefined) => seedLists[list].find((entry) => entry.name === name);
  const rows = [row(stored), row(row(stored)?.sameAs)].filter((entry) => entry !== undefined);
  // A text that begins with a hyphen or a bracket may match anywhere.
  const before = /^[\p{L}\p{N}]/u.test(text) ? '(?<![\\p{L}\\p{N}])' : '';
  const wordStart = new RegExp(before + quoted(text), 'u');
  return rows.some(({ name, abbreviation = '', fullName = '', aliases }) => {
    if (lower(name).includes(text) || lower(abbreviation).includes(text)) return true;
    const spellings = [fullName, ...aliases].map(lower);
    // A whole spelling finds its entry, however short it is.
    return spellings.includes(text) || (text.length >= 4 && spellings.some((spelling) => wordStart.test(spelling)));
  });
}

const voltageInKilovolt: Readonly<Record<string, number>> = { V: 0.001, kV: 1 };
const lengthInNanometer: Readonly<Record<string, number>> = { nm: 1, µm: 1e3, mm: 1e6 };

/** Implements filters for comparison. Returns undefined if rounding decides. */
function referenceMatch(filter: FilterObject, data: ExperimentData): boolean | undefined {
  const inRange = (value: number | undefined, key: string): boolean | undefined => {
    const min = Number(filter[`${key}Min`] ?? -Infinity);
    const max = Number(filter[`${key}Max`] ?? Infinity);
    if (min === -Infinity && max === Infinity) return true;
    if (value === undefined) return false;
    const near = [min, max].some((bound) => Math.abs(value - bound) <= 1e-9 * Math.abs(bound) && value !== bound);
    return near ? undefined : min <= value && value <= max;
  };
  const { voltage, voltageUnit = 'kV' } = data.processParameter ?? {};
  const fiber = data.fiberProperty ?? {};
  const scale = (unit: string): number | undefined => lengthInNanometer[unit];
  const diameter =
    fiber.fiberDiameter === undefined
      ? undefined
      : fiber.fiberDiameter * (scale(fiber.fiberDiameterUnit ?? 'nm') ?? NaN);
  const { fiberDiameterVariation: spread, fiberDiameterVariationUnit: spreadUnit = '%' } = fiber;
  const spreadScale = scale(spreadUnit);
  const percent =
    spread === undefined || spreadScale === undefined
      ? spread
      : diameter === undefined || diameter <= 0
        ? undefined
        : ((spread * spreadScale) / diameter) * 100;
  const polymer = typeof filter['polymer'] === 'string' ? lower(filter['polymer']) : undefined;
  const solvent = typeof filter['solvent'] === 'string' ? lower(filter['solvent']) : undefined;
  const answers = [
    inRange(voltage === undefined ? undefined : voltage * (voltageInKilovolt[voltageUnit] ?? NaN), 'voltage'),
    inRange(diameter, 'fiberDiameter'),
    inRange(percent, 'variation'),
    polymer === undefined ||
      (data.polymerProperty?.polymerComponents ?? []).some((c) => nameFound('polymers', polymer, c.polymerName ?? '')),
    solvent === undefined ||
      (data.solventProperty?.solventComponents ?? []).some((c) => nameFound('solvents', solvent, c.solventName ?? '')),
  ];
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

const optional = { requiredKeys: [] };
const small = fc.oneof(
  fc.nat(30),
  fc.nat(3_000).map((n) => n / 100),
);
const polymers = fc.constantFrom(...seedLists.polymers.map(({ name }) => name));
const solvents = fc.constantFrom(...seedLists.solvents.map(({ name }) => name));
const lengthUnits = fc.constantFrom('nm', 'µm', 'mm');

const records: fc.Arbitrary<ExperimentData> = fc.record({
  polymerProperty: fc.record({ polymerComponents: fc.array(fc.record({ polymerName: polymers }), { maxLength: 5 }) }),
  solventProperty: fc.record({ solventComponents: fc.array(fc.record({ solventName: solvents }), { maxLength: 5 }) }),
  processParameter: fc.record({ voltage: small, voltageUnit: fc.constantFrom('V', 'kV') }, optional),
  fiberProperty: fc.record(
    {
      fiberDiameter: small,
      fiberDiameterUnit: lengthUnits,
      fiberDiameterVariation: small,
      fiberDiameterVariationUnit: fc.oneof(lengthUnits, fc.constant('%')),
    },
    optional,
  ),
});

/** Substrings of list names, with at least two characters. */
const partOf = (list: 'polymers' | 'solvents'): fc.Arbitrary<string> => {
  const names = seedLists[list].flatMap((e) => [e.name, e.fullName ?? e.name, e.abbreviation ?? e.name, ...e.aliases]);
  return fc
    .tuple(fc.constantFrom(...names), fc.nat(30), fc.integer({ min: 2, max: 12 }))
    .map(([name, from, length]) => name.slice(from % name.length).slice(0, length))
    .filter((text) => text.trim() !== '' && text.isWellFormed());
};
const range = (key: string): fc.Arbitrary<FilterObject> =>
  fc.tuple(small, small, fc.constantFrom('both', 'min', 'max')).map(([a, b, bounds]): FilterObject => {
    const [min, max] = a < b ? [a, b] : [b, a];
    if (bounds === 'both') return { [`${key}Min`]: min, [`${key}Max`]: max };
    return bounds === 'min' ? { [`${key}Min`]: min } : { [`${key}Max`]: max };
  });
const filters: fc.Arbitrary<FilterObject> = fc
  .subarray(
    [
      range('voltage'),
      range('fiberDiameter'),
      range('variation'),
      partOf('polymers').map((polymer): FilterObject => ({ polymer })),
      partOf('solvents').map((solvent): FilterObject => ({ solvent })),
    ],
    { minLength: 1, maxLength: 2 },
  )
  .chain((parts) => fc.tuple(...parts))
  .map((parts) => Object.assign({}, ...parts) as FilterObject);

test('filters match the reference implementation', () => {
  const seen = { true: 0, false: 0 };
  fc.assert(
    fc.property(filters, fc.array(records, { minLength: 20, maxLength: 20 }), (filter, some) => {
      for (const data of some) {
        const expected = referenceMatch(filter, data);
        if (expected === undefined) continue;
        seen[`${expected}`] += 1;
        expect([filter, data, matches(filter, data)]).toEqual([filter, data, expected]);
      }
    }),
    { numRuns: runs(1_000) },
  );
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(runs(200));
});
