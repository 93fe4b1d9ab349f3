import type { DatasetFacts } from '../src/metadata/dataset-facts.ts';
import type { DatasetDescription, QueryDescription, RecordDescription } from '../src/metadata/description.ts';
import { featureFacts } from '../src/metadata/feature-facts.ts';

/** Characters with a special meaning in one of the formats. */
export const HOSTILE = `Fibers \\ of {PVDF} & "50%" <b>$x_1^2$</b> ~ #1 | \`code\` — 'é'`;

export const facts: DatasetFacts = {
  title: `Electrospinning Dataset ${HOSTILE}`,
  description: `Experiments of electrospinning, gathered from the literature.\n\nER  - \nTY  - ${HOSTILE}\n---\n]]>`,
  creators: [
    { type: 'Organization', name: 'Ångström and Sons & Co., "Ltd"', url: 'https://example.org' },
    {
      type: 'Person',
      givenName: 'Josiah Stinkney',
      familyName: 'Carberry, Jr',
      orcid: '0000-0002-1825-0097',
      affiliation: 'Brown & Sons',
    },
  ],
  publisher: { name: 'Example <Press>', url: 'https://press.example.org' },
  contact: 'mailto:data@example.org',
  keywords: ['electrospinning', 'nano-fibers, long', `- "${HOSTILE}": x`],
  license: 'CC-BY-4.0',
  related: [
    { relation: 'IsDescribedBy', type: 'arXiv', identifier: 'arXiv:2603.27841' },
    { relation: 'References', type: 'DOI', identifier: '10.1000/a<b>&c' },
  ],
};

const root = 'https://esd.example.org/base';
const [voltage, , , flowRate] = featureFacts;
if (!voltage || !flowRate) throw new Error('missing features');

/** A release with a DOI, a predecessor and a successor. */
export const release: DatasetDescription = {
  kind: 'dataset',
  facts,
  title: facts.title,
  description: facts.description,
  root,
  url: `${root}/release/v1.1.0`,
  version: 'v1.1.0',
  doi: '10.5072/esd.{1}_2&<3>',
  license: 'CC-BY-4.0',
  issued: new Date('2026-11-22T10:20:30.456Z'),
  papers: [
    { doi: '10.1016/j.polymer.2004.01.001' },
    { doi: '10.1002/(sici)1097-4628(19980103)67:1<1::aid-app1>3.0.co;2-x' },
  ],
  revision: 812,
  recordCount: 809,
  files: [
    {
      format: 'parquet',
      url: `${root}/public/dataset/v1.1.0/export?format=parquet`,
      stored: { bytes: 12_345, sha256: 'ab'.repeat(32) },
    },
    {
      format: 'csv',
      url: `${root}/public/dataset/v1.1.0/export?format=csv`,
      stored: { bytes: 123_456, sha256: 'cd'.repeat(32) },
    },
  ],
  variables: [
    { feature: voltage, min: 0.5, max: 60 },
    { feature: flowRate, min: 0.01, max: 12 },
  ],
  previous: { version: 'v1.0.0', url: `${root}/release/v1.0.0`, doi: '10.5072/esd.1' },
  next: { version: 'v1.2.0', url: `${root}/release/v1.2.0` },
};

/** Latest: without version, DOI, checksums and other releases. */
export const latest: DatasetDescription = {
  ...release,
  url: `${root}/release/latest`,
  version: undefined,
  doi: undefined,
  files: release.files.map(({ format, url }) => ({ format, url: url.replace('v1.1.0', 'latest') })),
  previous: undefined,
  next: undefined,
};

export const record: RecordDescription = {
  kind: 'record',
  facts,
  title: 'Electrospinning of PVDF from DMF and ACETONE, record 17',
  description: 'One electrospinning experiment: PVDF from DMF and ACETONE at 15 kV; a record of the dataset.',
  root,
  url: `${root}/record/17?version=v1.1.0`,
  version: 'v1.1.0',
  license: 'CC-BY-4.0',
  issued: new Date('2026-10-01T00:00:00Z'),
  modified: new Date('2026-11-01T00:00:00Z'),
  papers: [{ doi: '10.1016/j.polymer.2004.01.001', title: HOSTILE }],
  recordId: 17,
  values: [{ feature: voltage, value: 15 }],
  dataset: { url: release.url, doi: release.doi },
  dataUrl: `${root}/public/dataset/v1.1.0/records/17`,
};

export const query: QueryDescription = {
  kind: 'query',
  facts,
  title: 'Fibers: 3 records with polymer “PVDF”',
  description: `3 records of “Fibers” (Version v1.1.0) found by the filter {"polymer":"${HOSTILE}"}; digest ${'ef'.repeat(32)}.`,
  root,
  url: `${root}/public/queries/cfb88d67ce1d208f0d8c3a27bf10e81b`,
  version: 'v1.1.0',
  license: 'CC-BY-4.0',
  issued: new Date('2026-11-22T10:20:30.456Z'),
  papers: [],
  queryId: 'cfb88d67ce1d208f0d8c3a27bf10e81b',
  revision: 812,
  recordCount: 3,
  digest: 'ef'.repeat(32),
  files: [{ format: 'csv', url: `${root}/public/queries/cfb88d67ce1d208f0d8c3a27bf10e81b/export?format=csv` }],
  dataset: { url: release.url, doi: release.doi },
};
