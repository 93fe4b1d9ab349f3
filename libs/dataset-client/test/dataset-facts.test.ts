import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { root } from '@esd/dev-stack/root';
import { demoDatasetFile } from '@esd/testing/demo';
import { parseDatasetFacts, readDatasetFacts, readDatasetFile } from '../src/dataset-facts.ts';

const folder = mkdtempSync(join(tmpdir(), 'esd-facts-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const facts = readDatasetFacts(demoDatasetFile);
const overlay = (name: string): string => join(root, 'deploy', 'k8s', 'overlays', name, 'dataset.json');

test('the facts of the demo and of the development cluster can be read', () => {
  expect(facts.creators).toEqual([
    {
      type: 'Organization',
      name: 'The authors of electrospinning-data.org',
      url: 'https://electrospinning-data.org',
    },
  ]);
  expect(facts.related).toEqual([{ relation: 'IsDescribedBy', type: 'arXiv', identifier: 'arXiv:2603.27841' }]);
  expect(readDatasetFacts(overlay('dev')).license).toBe('CC-BY-4.0');
});

test('the template for production is rejected with the name of each missing member', () => {
  expect(() => readDatasetFacts(overlay('production'))).toThrow(/creators\.0\.orcid: .*contact: .*license: /);
});

test('a missing or invalid file is named in the error', () => {
  const file = join(folder, 'broken.json');
  writeFileSync(file, '{');
  expect(() => readDatasetFacts(file)).toThrow(`The file ${file} (ESD_DATASET_FILE) is not JSON.`);
  expect(() => readDatasetFacts(join(folder, 'none.json'))).toThrow('(ESD_DATASET_FILE) cannot be read');
});

describe('an invalid member is named in the error', () => {
  test.each([
    ['title', { title: '' }],
    ['description', { description: 'Too short.' }],
    ['description', { description: 'x'.repeat(5_001) }],
    ['creators', { creators: [] }],
    ['creators.0.type', { creators: [{ type: 'Robot', name: 'R' }] }],
    [
      'creators.0.orcid',
      { creators: [{ type: 'Person', givenName: 'A', familyName: 'B', orcid: '0000-0002-1825-0098' }] },
    ],
    ['publisher.name', { publisher: {} }],
    ['contact', { contact: 'data@example.org' }],
    ['keywords', { keywords: [] }],
    ['license', { license: 'CC BY 4.0' }],
    ['related.0.identifier', { related: [{ relation: 'References', type: 'DOI', identifier: 'x' }] }],
    ['related.0.relation', { related: [{ relation: 'Likes', type: 'URL', identifier: 'https://example.org' }] }],
    ['titel', { titel: 'x' }],
  ])('%s', (member, wrong) => {
    expect(() => parseDatasetFacts(JSON.stringify({ ...facts, ...wrong }), 'It')).toThrow(member);
  });
});

test('ORCID iDs and DOIs are normalized', () => {
  const read = parseDatasetFacts(
    JSON.stringify({
      ...facts,
      creators: [{ type: 'Person', givenName: 'A', familyName: 'B', orcid: 'https://orcid.org/0000-0002-1825-0097' }],
      related: [{ relation: 'References', type: 'DOI', identifier: 'https://doi.org/10.1000/ABC' }],
    }),
    'It',
  );
  expect(read.creators[0]).toMatchObject({ orcid: '0000-0002-1825-0097' });
  expect(read.related[0]?.identifier).toBe('10.1000/abc');
});

describe('the facts about the operator', () => {
  const operator = { name: 'Institute', address: '1 Main Street\nTown', email: 'data@example.org' };
  const about = [{ heading: 'Funding', paragraphs: ['Paid by all.'] }];
  const written = (name: string, members: object): string => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify({ ...facts, ...members }));
    return file;
  };

  test('are members of the file, and not part of the facts that a release keeps', () => {
    const file = written('operator.json', { operator, about });
    expect(readDatasetFile(file)).toEqual({ facts, operatorFacts: { operator, about, privacy: [] } });
    expect(readDatasetFacts(file)).toEqual(facts);
    expect(() => parseDatasetFacts(JSON.stringify({ ...facts, operator }), 'It')).toThrow('operator');
  });

  test.each([
    ['operator.name', { operator: {} }],
    ['operator.email', { operator: { ...operator, email: 'none' } }],
    ['about.0.paragraphs', { about: [{ heading: 'Empty', paragraphs: [] }] }],
    ['privacy', { privacy: 'text' }],
  ])('an invalid member %s is named in the error', (member, wrong) => {
    expect(() => readDatasetFile(written('wrong.json', wrong))).toThrow(member);
  });
});
