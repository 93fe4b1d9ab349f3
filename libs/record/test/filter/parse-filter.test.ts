import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { features, filterKeys, textKeys } from '../../src/filter/filter-keys.ts';
import { filterKey } from '../../src/filter/filter.ts';
import type { Filter } from '../../src/filter/filter.ts';
import { MAX_BODY_FILTER_LENGTH, parseFilter } from '../../src/filter/parse-filter.ts';
import type { FilterProblem } from '../../src/filter/parse-filter.ts';

function filterOf(text: string): Filter {
  const result = parseFilter(text);
  if ('problem' in result) throw new Error(result.problem.message);
  return result.filter;
}

function problemOf(text: string): FilterProblem {
  const result = parseFilter(text);
  if ('filter' in result) throw new Error(`expected a problem in ${text}`);
  return result.problem;
}

const keyOf = (value: object): string => filterKey(filterOf(JSON.stringify(value)));

describe('a valid filter', () => {
  test.each(textKeys.map(({ key }) => key))('%s accepts a text, trimmed and folded', (key) => {
    expect(filterOf(`{"${key}":"  Poly–Ether \u00a0 X "}`)).toEqual([{ kind: 'text', key, text: 'poly-ether x' }]);
  });

  test.each(features.map(({ feature, min, max }) => [feature, min, max] as const))(
    '%s accepts numbers, also as text',
    (key, min, max) => {
      expect(filterOf(JSON.stringify({ [max]: ' 2.50 ', [min]: -1 }))).toEqual([
        { kind: 'range', key, min: -1, max: 2.5 },
      ]);
      expect(filterOf(JSON.stringify({ [min]: 1e3 }))).toEqual([{ kind: 'range', key, min: 1000 }]);
      expect(filterOf(JSON.stringify({ [max]: 0 }))).toEqual([{ kind: 'range', key, max: 0 }]);
    },
  );

  test('isFormationStable accepts yes and no in any case', () => {
    expect(filterOf('{"isFormationStable":" Yes "}')).toEqual([
      { kind: 'flag', key: 'isFormationStable', value: true },
    ]);
    expect(filterOf('{"isFormationStable":"NO"}')).toEqual([{ kind: 'flag', key: 'isFormationStable', value: false }]);
  });

  test.each(['PUBLISHED', 'APPROVED', 'PENDING', 'REJECTED', 'NEEDS_UPDATE'])('status accepts %s', (status) => {
    expect(filterOf(JSON.stringify({ status: status.toLowerCase() }))).toEqual([
      { kind: 'status', key: 'status', status },
    ]);
  });

  test('an empty filter has no condition, and equal bounds are a range', () => {
    expect(filterOf(' {} ')).toEqual([]);
    expect(filterOf('{"voltageMin":1,"voltageMax":1}')).toHaveLength(1);
    expect(filterOf('{"voltageMin":-0}')).toEqual([{ kind: 'range', key: 'voltage', min: 0 }]);
  });

  test.each<[key: string, text: string, values: string[]]>([
    ['polymer', '=PVDF', ['PVDF']],
    ['polymer', ' = PVDF | PVA|PVDF', ['PVA', 'PVDF']],
    ['polymer', '==x', ['=x']],
    ['polymer', '=a\\|b|=c\\\\', ['=c\\', 'a|b']],
    ['polymer', '=', []],
    ['fractureBehaviour', '=a\nb', ['a\nb']],
    ['doi', '=https://doi.org/10.1234/A.|doi:10.1235/b', ['10.1234/a', '10.1235/b']],
    ['doi', '=https://a.example/Pii/S1', ['https://a.example/Pii/S1']],
    ['isFormationStable', '=yes|NO', ['no', 'yes']],
    ['isFormationStable', '= ', []],
  ])('%s %j matches %j exactly', (key, text, values) => {
    expect(filterOf(JSON.stringify({ [key]: text }))).toEqual([{ kind: 'values', key, values }]);
  });

  test('=yes is equal to yes', () => {
    expect(filterOf('{"isFormationStable":"=Yes"}')).toEqual(filterOf('{"isFormationStable":"yes"}'));
  });

  test('a DOI with any prefix is normalized', () => {
    for (const doi of ['https://doi.org/10.1/A', 'doi:10.1/a', 'DOI10.1/A.', ' http://dx.doi.org/10.1/a']) {
      expect(filterOf(JSON.stringify({ doi }))).toEqual([{ kind: 'text', key: 'doi', text: '10.1/a' }]);
    }
  });

  test('SQL, patterns and names of object members are plain text', () => {
    for (const polymer of [`'; DROP TABLE x; --`, '%', '_', '.*', '__proto__', 'constructor']) {
      expect(filterOf(JSON.stringify({ polymer }))).toEqual([
        { kind: 'text', key: 'polymer', text: polymer.toLowerCase() },
      ]);
    }
  });
});

describe('an invalid filter names the key and a correction', () => {
  test.each<[text: string, key: string | undefined, message: string]>([
    ['', undefined, 'got text that is not JSON'],
    ["{'polymer':'a'}", undefined, 'got text that is not JSON'],
    ['{"voltageMin":NaN}', undefined, 'got text that is not JSON'],
    ['{"polymer":"a\nb"}', undefined, 'got text that is not JSON'],
    ['null', undefined, 'Expected a JSON object such as {"polymer":"PVDF","voltageMin":10}, got null.'],
    ['[{"polymer":"a"}]', undefined, 'got an array'],
    ['"polymer"', undefined, 'got "polymer"'],
    ['7', undefined, 'got 7'],
    ['{"polymer":null}', 'polymer', '`polymer` must be a string, got null.'],
    ['{"doi":10.1016}', 'doi', '`doi` must be a string, got 10.1016.'],
    ['{"morphology":["Bead"]}', 'morphology', '`morphology` must be a string, got an array.'],
    ['{"instability":{"label":"a"}}', 'instability', 'got an object'],
    ['{"polymer":""}', 'polymer', '`polymer`: The text "" would match every record'],
    ['{"polymer":" \\u00a0\\t"}', 'polymer', 'would match every record'],
    ['{"doi":"https://doi.org/"}', 'doi', 'would match every record'],
    ['{"polymer":"\\ud83d"}', 'polymer', 'lone surrogate'],
    [
      '{"polymer":"=|PVA"}',
      'polymer',
      'One of the values in "=|PVA" is empty; "=" alone matches records without a value.',
    ],
    ['{"polymer":"=a\\\\b"}', 'polymer', 'A backslash in'],
    ['{"polymer":"=\\ud83d"}', 'polymer', 'lone surrogate'],
    ['{"doi":"=https://doi.org/"}', 'doi', 'is empty'],
    ['{"isFormationStable":"=maybe"}', 'isFormationStable', 'A value must be "yes" or "no", got "maybe".'],
    ['{"polymer":"a\\u0000"}', 'polymer', 'control character'],
    ['{"polymer":"=a\\u0000"}', 'polymer', 'control character'],
    ['{"polymer":"a\\nb"}', 'polymer', 'control character'],
    ['{"polymer":"a\\u202Eb"}', 'polymer', 'control character'],
    ['{"polymer":"=a\\u009Bb"}', 'polymer', 'control character'],
    ['{"voltageMin":null}', 'voltageMin', '`voltageMin` must be a number in kV, such as 12.5, got null.'],
    ['{"tipDistMax":"ten"}', 'tipDistMax', '`tipDistMax` must be a number in cm, such as 12.5, got "ten".'],
    ['{"voltageMin":"10 kV"}', 'voltageMin', '`voltageMin` must be a number in kV'],
    ['{"voltageMin":"1,5"}', 'voltageMin', '`voltageMin` must be a number in kV'],
    ['{"voltageMin":"0x10"}', 'voltageMin', '`voltageMin` must be a number in kV'],
    ['{"voltageMin":"1_000"}', 'voltageMin', '`voltageMin` must be a number in kV'],
    ['{"voltageMin":"1e999"}', 'voltageMin', 'finite'],
    ['{"voltageMin":-1e999}', 'voltageMin', 'finite'],
    ['{"voltageMin":"Infinity"}', 'voltageMin', '`voltageMin` must be a number in kV'],
    ['{"voltageMin":"NaN"}', 'voltageMin', '`voltageMin` must be a number in kV'],
    ['{"voltageMin":""}', 'voltageMin', '`voltageMin` must be a number in kV'],
    ['{"voltageMin":true}', 'voltageMin', '`voltageMin` must be a number in kV'],
    ['{"voltageMin":[10]}', 'voltageMin', 'got an array'],
    ['{"isFormationStable":true}', 'isFormationStable', '`isFormationStable` must be "yes" or "no", got true.'],
    ['{"isFormationStable":"maybe"}', 'isFormationStable', 'got "maybe"'],
    ['{"status":"LIVE"}', 'status', 'PUBLISHED, PENDING, APPROVED, REJECTED, NEEDS_UPDATE, got "LIVE"'],
    ['{"status":1}', 'status', 'got 1'],
    ['{"polymer":"a","polymer":"b"}', 'polymer', 'The key "polymer" appears more than once'],
    ['{"a":{"polymer":1},"polymer":"a","\\u0070olymer":"b"}', 'polymer', 'more than once'],
    ['{"polymer":{"x":1,"x":2},"solvent":{"x":1}}', 'polymer', '`polymer` must be a string'],
    ['{"__proto__":{"polymer":"a"}}', '__proto__', 'Unknown filter key "__proto__"'],
    ['{"constructor":"a"}', 'constructor', 'Unknown filter key "constructor"'],
    ['{"":1}', '', 'Unknown filter key ""'],
    ['{"\\ud800":1}', '\ufffd', 'Unknown filter key'],
  ])('%s', (text, key, message) => {
    const problem = problemOf(text);
    expect(problem).toMatchObject({ code: 'INVALID_FILTER' });
    expect(problem.key).toBe(key);
    expect(problem.message).toContain(message);
  });

  test('for a minimum above its maximum, with both keys and the unit', () => {
    const { key, message } = problemOf('{"flowRateMax":"0.5","flowRateMin":1}');
    expect(key).toBe('flowRateMin');
    expect(message).toContain('`flowRateMin` (1 mL/h) is above `flowRateMax` (0.5 mL/h)');
  });

  test('but a key inside a text is not a duplicate', () => {
    expect(filterOf('{"polymer":"\\"solvent\\":{[","solvent":"polymer"}')).toHaveLength(2);
  });

  test('for more than 4,096 characters', () => {
    const withText = (length: number): string =>
      JSON.stringify({ polymer: 'x'.repeat(length - '{"polymer":""}'.length) });
    expect(filterOf(withText(4_096))).toHaveLength(1);
    expect(problemOf(withText(4_097)).message).toBe(
      'A filter must have at most 4096 characters; this one has 4097. Send a longer one to POST /public/queries.',
    );
    expect(parseFilter(withText(4_097), MAX_BODY_FILTER_LENGTH)).toHaveProperty('filter');
    expect(parseFilter(withText(MAX_BODY_FILTER_LENGTH + 1), MAX_BODY_FILTER_LENGTH)).toHaveProperty('problem');
    expect(problemOf('['.repeat(4_096)).message.length).toBeLessThan(300);
    expect(problemOf(`${'['.repeat(2_048)}${']'.repeat(2_048)}`).message).toContain('got an array');
  });

  test('for the first five problems, in a message of bounded length', () => {
    const { key, message } = problemOf('{"voltageMin":null,"polymr":"a"}');
    expect(key).toBe('voltageMin');
    expect(message).toContain('nearest: "polymer"');
    const many = problemOf(JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]))));
    expect(many.message).toContain('And 295 more.');
    expect(problemOf(JSON.stringify({ ['k'.repeat(4_000)]: 1 })).message.length).toBeLessThan(300);
  });
});

describe('the nearest key', () => {
  test.each([
    ['polymr', '"polymer"'],
    ['Polymer', '"polymer"'],
    ['polymerName', '"polymer"'],
    ['solvents', '"solvent"'],
    ['fractureBehavior', '"fractureBehaviour"'],
    ['collector_type', '"collectorType"'],
    ['was_formation_stable', '"isFormationStable"'],
    ['voltage', '"voltageMin" or "voltageMax"'],
    ['voltagemin', '"voltageMin"'],
    ['voltage_max', '"voltageMax"'],
    ['maxVoltage', '"voltageMax"'],
    ['votlageMin', '"voltageMin"'],
    ['temperatureMin', '"tempMin"'],
    ['tipCollectorDistance', '"tipDistMin" or "tipDistMax"'],
    ['fiber_diameter_variation', '"variationMin" or "variationMax"'],
    ['tensile', '"tensileStrengthMin" or "tensileStrengthMax"'],
    ['productWeightMax', '"weightMax"'],
    ['needleDefinition', '"needleDiameterMin" or "needleDiameterMax"'],
  ])('of %s is %s', (key, nearest) => {
    expect(problemOf(JSON.stringify({ [key]: 1 })).message).toBe(`Unknown filter key "${key}"; nearest: ${nearest}.`);
  });

  test('is always valid', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (key) => {
        fc.pre(!filterKeys.includes(key));
        const nearest = /nearest: (".*")\.$/.exec(problemOf(JSON.stringify({ [key]: 1 })).message)?.[1] ?? '';
        for (const name of nearest.split(' or ')) expect(filterKeys).toContain(JSON.parse(name));
      }),
    );
  });
});

describe('filterKey', () => {
  test('does not depend on order, case, spaces, number format and DOI prefix', () => {
    expect(filterKey(filterOf('{"voltageMin":"1.50e1","polymer":" PVDF ","doi":"doi:10.1/A."}'))).toBe(
      filterKey(filterOf('{"doi":"https://doi.org/10.1/a","polymer":"pvdf","voltageMin":15}')),
    );
    expect(keyOf({ status: 'PUBLISHED' })).toBe(keyOf({}));
    expect(keyOf({ status: 'approved' })).toBe(keyOf({}));
    expect(keyOf({ status: 'PENDING' })).toBe(keyOf({ status: 'REJECTED' }));
    expect(keyOf({ voltageMin: -0 })).toBe(keyOf({ voltageMin: 0 }));
  });

  test('differs for filters with different meanings', () => {
    const filters = [
      {},
      { status: 'PENDING' },
      { polymer: 'a' },
      { polymer: 'b' },
      { polymer: '=a' },
      { polymer: '=a|b' },
      { polymer: '=a\\|b' },
      { polymer: '=' },
      { isFormationStable: '=' },
      { isFormationStable: '=yes|no' },
      { solvent: 'a' },
      { polymer: 'a', solvent: 'b' },
      { polymer: 'a"],["solvent","b' },
      { voltageMin: 1 },
      { voltageMax: 1 },
      { voltageMin: 1, voltageMax: 1 },
      { tempMin: 1 },
      { isFormationStable: 'yes' },
      { isFormationStable: 'no' },
    ];
    expect(new Set(filters.map(keyOf)).size).toBe(filters.length);
  });
});

test('parsing never throws', () => {
  const json = fc.json({ maxDepth: 3 });
  const members = fc.dictionary(
    fc.oneof(fc.constantFrom(...filterKeys), fc.string({ unit: 'binary' })),
    fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constantFrom('yes', 'PUBLISHED', '1e999', '-3')),
    { maxKeys: 5 },
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    // Includes lone surrogates.
    fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
    json,
    members.map((m) => JSON.stringify(m)),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const result = parseFilter(text);
      if ('filter' in result) {
        for (const condition of result.filter) {
          if (condition.kind === 'text') expect(condition.text).not.toBe('');
          if (condition.kind === 'range') expect(condition.min ?? condition.max).toEqual(expect.any(Number));
        }
      } else {
        expect(result.problem.message.isWellFormed()).toBe(true);
        expect(result.problem.message.length).toBeLessThan(2_000);
      }
    }),
    { numRuns: runs(1_000) },
  );
});
