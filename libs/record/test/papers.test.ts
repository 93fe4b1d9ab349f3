import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkPaper } from '../src/papers/check-paper.ts';
import { paperCitation } from '../src/metadata/formats/text.ts';
import { citationFiles } from '../src/papers/citation-files.ts';
import { cslItem, readCslItem } from '../src/papers/csl.ts';
import type { PaperFacts } from '../src/papers/paper.ts';

const text = fc
  .string({
    unit: fc.constantFrom('a', 'B', ' ', 'é', '<i>', '</i>', '<', '>', '{', '\\', '&', '_', '"'),
    minLength: 1,
    maxLength: 12,
  })
  .filter((one) => one.trim() !== '');
const facts: fc.Arbitrary<PaperFacts> = fc.record(
  {
    doi: fc.oneof(
      fc.constantFrom(
        '10.1002/APP.21762',
        'doi:10.1/x(1).',
        'https://doi.org/10.1016/j.x',
        'https://Papers.example/S1',
        'a thesis',
      ),
      text,
    ),
    title: text,
    authors: fc.array(
      fc.oneof(fc.record({ name: text }), fc.record({ family: text, given: text }, { requiredKeys: ['family'] })),
      {
        maxLength: 3,
      },
    ),
    year: fc.integer({ min: 1600, max: 2100 }),
    journal: text,
    publisher: text,
    url: fc.constantFrom('https://example.org/a', 'https://Papers.example/S1'),
  },
  { requiredKeys: ['doi', 'title', 'authors'] },
);

test('a checked paper is checked, exported and imported unchanged', () => {
  fc.assert(
    fc.property(facts, (sent) => {
      const { paper, problems } = checkPaper(sent);
      if (problems.length > 0) return;
      expect(checkPaper(paper)).toEqual({ paper, problems: [] });
      const item: unknown = JSON.parse(JSON.stringify(cslItem(paper)));
      expect(readCslItem(item)).toEqual({ paper, problems: [] });
    }),
  );
});

test('a BibTeX entry has balanced braces, and a key without special characters', () => {
  fc.assert(
    fc.property(facts, (sent) => {
      const entry = citationFiles.bibtex.write(checkPaper(sent).paper);
      expect(entry).toMatch(/^@(article|misc)\{[\w.:/+-]*,\n/);
      const braces = entry.replaceAll(/\\[{}]/g, '').match(/[{}]/g) ?? [];
      let depth = 0;
      for (const brace of braces) {
        depth += brace === '{' ? 1 : -1;
        expect(depth).toBeGreaterThanOrEqual(0);
      }
      expect(depth).toBe(0);
    }),
  );
});

test.each([
  [{ title: 'X' }, ['DOI MISSING_VALUE']],
  [{ DOI: '10.1234/x' }, ['title MISSING_VALUE']],
  [{ DOI: 1, title: [] }, ['DOI WRONG_TYPE', 'title WRONG_TYPE']],
  [
    { DOI: '10.1234/x', title: 'X', author: {}, issued: { 'date-parts': [['soon']] } },
    ['author WRONG_TYPE', 'issued WRONG_TYPE'],
  ],
  [
    { DOI: '10.1234/x', title: 'X', author: [1, { given: 'A' }] },
    ['author[0] WRONG_TYPE', 'author[1].family MISSING_VALUE'],
  ],
  [{ DOI: '10.1234/x', title: 'X', issued: { 'date-parts': [[null]] }, URL: '' }, []],
  ['text', [' WRONG_TYPE']],
])('%j has the problems %j', (item, problems) => {
  expect(readCslItem(item).problems.map(({ path, code }) => `${path} ${code}`)).toEqual(problems);
});

test.each([
  [
    {
      doi: '10.1000/a(1)',
      title: 'Fibers of\nPVDF',
      authors: [{ family: 'Li', given: 'Jin-Wei A' }, { family: 'Plato' }, { name: 'A group' }],
      year: 2016,
      journal: 'Polymer',
    },
    'Li, J.-W. A., Plato, & A group (2016). Fibers of PVDF. Polymer. https://doi.org/10.1000/a(1)',
  ],
  [{ doi: '10.1000/b', title: 'Only a title', authors: [] }, 'Only a title. https://doi.org/10.1000/b'],
  [{ doi: '10.1000/c', authors: [{ family: 'Li', given: 'J' }] }, 'Li, J. https://doi.org/10.1000/c'],
  [{ doi: 'https://papers.example/S1', authors: [] }, 'https://papers.example/S1'],
  [{ doi: 'a thesis', authors: [], url: 'https://papers.example/S2' }, 'https://papers.example/S2'],
  [{ doi: 'a thesis', authors: [], year: 1999 }, '(1999). a thesis'],
])('the citation of %j is %s', (paper, text) => {
  expect(paperCitation(paper)).toBe(text);
});

test('a citation is one line and names the paper', () => {
  fc.assert(
    fc.property(facts, (sent) => {
      const { paper } = checkPaper(sent);
      expect(paperCitation(paper)).not.toMatch(/[\n\r]/);
    }),
  );
});
