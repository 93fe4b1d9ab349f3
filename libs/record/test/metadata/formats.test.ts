import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isDoi, normalizeDoi } from '../../src/metadata/doi.ts';
import { isEmail } from '../../src/metadata/email.ts';
import { needleGauges } from '../../src/units/needle-gauges.ts';
import { normalizeOrcid } from '../../src/metadata/orcid.ts';

describe('DOI', () => {
  test.each([
    'https://doi.org/10.1007/BF03218855',
    'http://dx.doi.org/10.1007/bf03218855',
    'doi:10.1007/BF03218855',
    'DOI: 10.1007/BF03218855',
    'DOI10.1007/BF03218855',
    'https://doi.org/10.1007/BF03218855.',
    ' doi.org/10.1007/BF03218855 ',
  ])('%s', (spelling) => {
    expect(normalizeDoi(spelling)).toBe('10.1007/bf03218855');
    expect(isDoi(spelling)).toBe(true);
  });
  test.each([
    '',
    '10.1007',
    '10.1007/',
    'https://www.sciencedirect.com/pii/S0927',
    'in press',
    '10.1007/a b',
    '11.1007/a',
    // A resolver would read these segments as folders.
    '10.5281/../admin',
    '10.5281/a/./b',
    'doi:10.5281/..',
  ])('%s is not a DOI', (text) => {
    expect(isDoi(text)).toBe(false);
  });
  test('normalizing is idempotent and never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof normalizeDoi(text) === 'string'));
    const suffix = fc.stringMatching(/^[A-Za-z0-9()_/-]{1,30}$/);
    fc.assert(
      fc.property(suffix, (text) => {
        const doi = normalizeDoi(`https://doi.org/10.1234/${text}`);
        expect(doi).toBe(`10.1234/${text.toLowerCase()}`);
        expect(normalizeDoi(doi)).toBe(doi);
      }),
    );
  });
});

describe('ORCID', () => {
  test.each([
    ['0000-0002-1825-0097', '0000-0002-1825-0097'],
    ['0000000218250097', '0000-0002-1825-0097'],
    ['https://orcid.org/0000-0002-1694-233X', '0000-0002-1694-233X'],
    ['http://www.orcid.org/0000-0002-1694-233x', '0000-0002-1694-233X'],
    ['0000-0002-1825-0098', undefined],
    ['0000-0002-1694-2330', undefined],
    ['0000-0002-1825-009', undefined],
    ['0000-00021825-0097', undefined],
    ['', undefined],
  ])('%s', (text, orcid) => {
    expect(normalizeOrcid(text)).toBe(orcid);
  });
  test('a wrong digit or two swapped neighbors are rejected', () => {
    const right = '0000000218250097';
    for (let i = 0; i < 16; i++) {
      for (const digit of '0123456789X') {
        const changed = right.slice(0, i) + digit + right.slice(i + 1);
        if (changed !== right) expect(normalizeOrcid(changed)).toBeUndefined();
      }
      const swapped = right.slice(0, i) + (right[i + 1] ?? '') + (right[i] ?? '') + right.slice(i + 2);
      if (swapped !== right && swapped.length === 16) expect(normalizeOrcid(swapped)).toBeUndefined();
    }
  });
});

test.each([
  ['a@b.de', true],
  ['first.last+tag@sub.example.org', true],
  ['müller@universität.de', true],
  ['a@b', false],
  ['a@@b.de', false],
  ['a b@c.de', false],
  ['a@b..de', false],
  ['a@b.de\r\nBcc: c@d.de', false],
  ['a@b.de,c@d.de', false],
  ['<a@b.de>', false],
  ['@b.de', false],
  ['', false],
  [`${'a'.repeat(65)}@b.de`, false],
  [`a@${'b.'.repeat(130)}de`, false],
])('email %j: %s', (text, expected) => {
  expect(isEmail(text)).toBe(expected);
});

test('a higher needle gauge has a smaller diameter', () => {
  expect(needleGauges.map(({ gauge }) => gauge)).toEqual(Array.from({ length: 28 }, (_, i) => i + 7));
  needleGauges.forEach((needle, i) => {
    expect(needle.innerDiameterMm).toBeLessThan(needle.outerDiameterMm);
    const finer = needleGauges[i + 1];
    if (finer === undefined) return;
    expect(finer.innerDiameterMm).toBeLessThanOrEqual(needle.innerDiameterMm);
    expect(finer.outerDiameterMm).toBeLessThan(needle.outerDiameterMm);
  });
  expect(needleGauges.find(({ gauge }) => gauge === 22)).toEqual({
    gauge: 22,
    innerDiameterMm: 0.413,
    outerDiameterMm: 0.718,
  });
});
