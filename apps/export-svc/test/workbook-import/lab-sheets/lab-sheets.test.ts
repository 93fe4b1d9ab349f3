import { expect, test } from '@jest/globals';
import { labSheets } from './lab-sheets.ts';
import { readShare, scoreSheet } from './score-sheets.ts';

/** The share of headings and cells that are read without a question. Raise it when the reader improves. */
const MIN_READ_SHARE = 0.93;

interface KnownFailure {
  readonly sheet: string;
  readonly places: string;
  readonly reason: string;
}

/** All places that are wrong or noted. If the reader improves, the test fails until the place is deleted here. */
const knownFailures: readonly KnownFailure[] = [
  {
    sheet: 'symbols with a unit row',
    places: 'noted heading A, noted A3, noted A4, noted A5',
    reason: '"ID" is left out, because rows are numbered under this heading too.',
  },
  {
    sheet: 'number formats',
    places: 'noted heading A, noted A2, noted A3, noted A4',
    reason: '"Run" is left out, because rows are numbered under this heading too.',
  },
  {
    sheet: 'rows of means',
    places: 'noted heading H, noted H3, noted H7',
    reason: '"Comments" is left out, because remarks are public, and a comment can be private.',
  },
  {
    sheet: 'metadata above, footer below',
    places: 'noted heading K, noted K7, noted K8, noted K9',
    reason: '"Comment" is left out, because remarks are public, and a comment can be private.',
  },
  {
    sheet: 'lab notebook with observations',
    places: 'noted heading K, noted K2, noted K3, noted K4, noted K5',
    reason: '"Notes" is left out, because remarks are public, and a comment can be private.',
  },
  {
    sheet: 'English CSV with quotes',
    places: 'noted heading K, noted K2, noted K4',
    reason: '"Notes" is left out, because remarks are public, and a comment can be private.',
  },
];

const findings = await Promise.all(labSheets.map(scoreSheet));

test.each(labSheets.map(({ name }, at) => [name, at] as const))('%s is read as a person reads it', (name, at) => {
  const failures = (findings[at] ?? []).filter(({ score }) => score === 'wrong' || score === 'noted');
  const known = knownFailures.filter(({ sheet }) => sheet === name).flatMap(({ places }) => places.split(', '));
  expect(failures.map(({ score, place }) => `${score} ${place}`).sort()).toEqual(known.sort());
});

test('the known failures name sheets', () => {
  const names = labSheets.map(({ name }) => name);
  expect(knownFailures.filter(({ sheet }) => !names.includes(sheet))).toEqual([]);
});

test('most headings and cells are read without a question', () => {
  expect(readShare(findings.flat())).toBeGreaterThanOrEqual(MIN_READ_SHARE);
});
