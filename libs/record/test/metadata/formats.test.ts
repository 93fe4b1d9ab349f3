import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { doiUrl } from '../../src/metadata/dataset-facts.ts';
import { isDoi, isShortened, normalizeDoi } from '../../src/metadata/doi.ts';
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
    'doi:',
    'https://doi.org/',
    'https://doi.org/10.1007',
    'https://example.org/v10.1007/a',
    // A resolver would read these segments as folders.
    '10.5281/../admin',
    '10.5281/a/./b',
    'doi:10.5281/..',
    '10.5281/a/.',
    'https://doi.org/10.5281/%2e%2E/admin',
    'https://doi.org/10.5281/..%2Fadmin',
    'https://example.org/../10.5281/a',
  ])('%s is not a DOI', (text) => {
    expect([isDoi(text), isDoi(normalizeDoi(text))]).toEqual([false, false]);
  });
  test.each<[text: string, doi: string, isShortened: boolean]>([
    ['https://onlinelibrary.wiley.com/doi/full/10.1002/app.32569', '10.1002/app.32569', true],
    ['https://pubs.acs.org/doi/pdf/10.1021/acsami.0c02578?casa_token=x:y', '10.1021/acsami.0c02578', true],
    ['https://link.springer.com/article/10.1007/s10965-014-0571-8#Sec1', '10.1007/s10965-014-0571-8', true],
    ['https://link.springer.com/content/pdf/10.1007/s10965-014-0571-8.pdf', '10.1007/s10965-014-0571-8', true],
    ['https://iopscience.iop.org/article/10.1088/1748-6041/8/4/045007/meta', '10.1088/1748-6041/8/4/045007', true],
    [
      'https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0185601&type=x',
      '10.1371/journal.pone.0185601',
      true,
    ],
    ['https://proxy.example.edu/login?url=https%3A%2F%2Fdoi.org%2F10.1021%2Fx&a=b', '10.1021/x', true],
    ['https://example.org/#/doi/10.1093/abc/1', '10.1093/abc/1', true],
    ['http://localhost:8080/10.1007/a', '10.1007/a', true],
    ['www.mdpi.com/10.3390/nano11102514', '10.3390/nano11102514', true],
    ['https://doi.org/10.1016/j.polymer.2008.09.025?via%3Dihub', '10.1016/j.polymer.2008.09.025', true],
    ['doi:10.1234/abc/abstract', '10.1234/abc', true],
    ['10.1234/abc/full/html', '10.1234/abc', true],
    ['10.1234/abc.PDF', '10.1234/abc', true],
    ['10.1234/abc,', '10.1234/abc', true],
    ['10.1234/abc;', '10.1234/abc', true],
    ['10.1234/abc.', '10.1234/abc', false],
    ['DOI: https://dx.doi.org/10.1234/abc', '10.1234/abc', false],
    ['https://doi.org/10.1234%2Fabc', '10.1234/abc', false],
    ['10.1234/full', '10.1234/full', false],
    ['10.1234/.pdf', '10.1234/.pdf', false],
    ['10.1234/x?y#z', '10.1234/x?y#z', false],
    ['10.1234/[x](y)', '10.1234/[x](y)', false],
    ['https://doi.org/10.1234/a%20b', '10.1234/a%20b', false],
    ['https://doi.org/10.1234/a%00b', '10.1234/a%00b', false],
    [
      '10.1002/(SICI)1097-4628(19980110)67:2<253::AID-A6>3.0.CO;2-#',
      '10.1002/(sici)1097-4628(19980110)67:2<253::aid-a6>3.0.co;2-#',
      false,
    ],
    [
      'https://doi.org/10.1002/1097-4628(200011)78:6%3C1::AID-A10%3E3.0.CO;2-%23',
      '10.1002/1097-4628(200011)78:6<1::aid-a10>3.0.co;2-#',
      false,
    ],
  ])('%s', (text, doi, shortened) => {
    expect([normalizeDoi(text), isShortened(text)]).toEqual([doi, shortened]);
    expect(doiUrl(text).toLowerCase()).toBe(
      `https://doi.org/${doi.split('/').map(encodeURIComponent).join('/')}`.toLowerCase(),
    );
  });
  test('normalizing is idempotent and never throws', () => {
    const part = fc.constantFrom(
      ...['10.1234', '/', 'a', 'B', '.', '..', ',', ';', '?', '#', '&', '=', ' ', '%2F', '%2e', '%25', '%', 'ı', 'İ'],
      ...['https://', 'doi.org', 'dx.doi.org/', 'example.org/', 'doi:', 'DOI', '/pdf', '.pdf', '/full', '(', '<', ']'],
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (written) => {
        const normalized = normalizeDoi(written);
        expect(normalizeDoi(normalized)).toBe(normalized);
        expect(isDoi(normalized)).toBe(isDoi(written));
      }),
      { numRuns: runs(2_000) },
    );
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
