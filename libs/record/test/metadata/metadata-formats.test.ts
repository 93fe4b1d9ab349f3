import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { SaxesParser } from 'saxes';
import { parse as parseYaml } from 'yaml';
import { fileFormatNames } from '../../src/catalog/file-formats.ts';
import { columnsOf } from '../../src/flatten/file-columns.ts';
import { columnTypes } from '../../src/flatten/flatten.ts';
import { columnText } from '../../src/metadata/column-facts.ts';
import { edition, licenseOf } from '../../src/metadata/description.ts';
import { doiUrl, workUrl } from '../../src/metadata/dataset-facts.ts';
import {
  citationFormatNames,
  type DatasetFormat,
  datasetFormatNames,
  datasetMetadata,
  citationMetadata,
} from '../../src/metadata/metadata-formats.ts';
import { describeQuery } from '../../src/metadata/describe-query.ts';
import { describeRecord } from '../../src/metadata/describe-record.ts';
import { endsInSubPath } from '../../src/metadata/dataset-path.ts';
import { facts, HOSTILE, latest, query, record, release } from '../described.ts';

const textOf = (format: DatasetFormat, description = release): string => datasetMetadata(description, format).text;
const jsonOf = (format: DatasetFormat, description = release): unknown => JSON.parse(textOf(format, description));
const unescaped = (text: string): string =>
  text
    .replaceAll('\\textbackslash{}', '\\')
    .replaceAll('\\textasciicircum{}', '^')
    .replaceAll('\\textasciitilde{}', '~')
    .replaceAll(/\\([{}$&%#_])/g, '$1');

describe('BibTeX', () => {
  const lines = textOf('bibtex').trimEnd().split('\n');
  const fields = new Map(
    lines.slice(1, -1).map((line) => {
      const [, name = '', value = ''] = /^ {2}(\w+) = \{(.*)\},?$/.exec(line) ?? [];
      return [name, value];
    }),
  );

  test('is one entry with one field per line for any text', () => {
    expect(lines[0]).toMatch(/^@misc\{[a-z0-9.-]+,$/);
    expect(lines.at(-1)).toBe('}');
    expect(fields.size).toBe(lines.length - 2);
    for (const value of fields.values()) {
      let depth = 0;
      for (const [brace] of value.replaceAll(/\\[{}]/g, '').matchAll(/[{}]/g)) {
        depth += brace === '{' ? 1 : -1;
        expect(depth).toBeGreaterThanOrEqual(0);
      }
      expect(depth).toBe(0);
    }
  });

  test('preserves texts, and does not parse an organization as a person', () => {
    expect(unescaped(fields.get('title') ?? '')).toBe(`{${facts.title}}`);
    expect(unescaped(fields.get('author') ?? '')).toBe(
      '{Ångström and Sons & Co., "Ltd"} and Carberry, Jr, Josiah Stinkney',
    );
    expect(fields.get('doi')).toBe('10.5072/esd.%7B1%7D_2&<3>');
  });
});

test('RIS has one tag per line; line breaks in a text are removed', () => {
  const lines = textOf('ris').split('\r\n');
  expect(lines.pop()).toBe('');
  for (const line of lines) expect(line).toMatch(/^[A-Z][A-Z0-9] {2}- [^\r\n]*$/);
  expect(lines.filter((line) => line.startsWith('TY  -'))).toEqual(['TY  - DATA']);
  expect(lines.filter((line) => line.startsWith('ER  -'))).toEqual(['ER  - ']);
  expect(lines).toContain(`TI  - ${facts.title}`);
  expect(lines).toContain('DO  - 10.5072/esd.{1}_2&<3>');
});

/** Returns texts by element path and attributes by path and name. Throws if the document is not well-formed. */
function readXml(xml: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const path: string[] = [];
  const texts: string[] = [];
  const add = (key: string, value: string): void => void found.set(key, [...(found.get(key) ?? []), value]);
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    path.push(name);
    texts.push('');
    for (const [key, value] of Object.entries(attributes)) add(`${path.join('/')}@${key}`, value);
  });
  parser.on('text', (text) => texts.push((texts.pop() ?? '') + text));
  parser.on('closetag', () => {
    add(path.join('/'), texts.pop() ?? '');
    path.pop();
  });
  parser.write(xml).close();
  return found;
}

test('DataCite XML has the values of DataCite JSON', () => {
  const xml = readXml(textOf('datacite-xml'));
  expect(xml.get('resource/identifier')).toEqual([release.doi]);
  expect(xml.get('resource/identifier@identifierType')).toEqual(['DOI']);
  expect(xml.get('resource/creators/creator/creatorName')?.[0]).toBe('Ångström and Sons & Co., "Ltd"');
  expect(xml.get('resource/titles/title')).toEqual([facts.title]);
  expect(xml.get('resource/publisher')).toEqual(['Example <Press>']);
  expect(xml.get('resource/descriptions/description')).toEqual([facts.description]);
  expect(jsonOf('datacite-json')).toMatchObject({
    doi: release.doi,
    titles: [{ title: facts.title }],
    relatedIdentifiers: expect.arrayContaining([
      { relatedIdentifier: 'arXiv:2603.27841', relatedIdentifierType: 'arXiv', relationType: 'IsDescribedBy' },
      { relatedIdentifier: release.papers[0]?.doi, relatedIdentifierType: 'DOI', relationType: 'IsDerivedFrom' },
      { relatedIdentifier: '10.5072/esd.1', relatedIdentifierType: 'DOI', relationType: 'IsNewVersionOf' },
      { relatedIdentifier: release.next?.url, relatedIdentifierType: 'URL', relationType: 'IsPreviousVersionOf' },
    ]),
  });
});

test('BibTeX has no control characters and no bidirectional overrides', () => {
  const title = 'Fibers\u009B31m of\u202E PVA';
  expect(textOf('bibtex', { ...release, title, doi: '10.1/a\u202Eb' })).not.toMatch(/(?!\n)\p{Cc}|\u202E/u);
});

test('characters that XML does not allow are replaced', () => {
  const broken = { ...release, title: 'a\u0000b\uD800c\uFFFFd\u{1F9F5}' };
  expect(textOf('datacite-xml', broken)).toContain('<title xml:lang="en">a\uFFFDb\uFFFDc\uFFFDd\u{1F9F5}</title>');
});

test('without a DOI, DataCite has the permanent URL', () => {
  const json = jsonOf('datacite-json', latest);
  expect(json).toMatchObject({ url: latest.url });
  expect(json).not.toHaveProperty('doi');
  expect(json).not.toHaveProperty('identifiers');
  const xml = readXml(textOf('datacite-xml', latest));
  expect(xml.get('resource/identifier')).toEqual([latest.url]);
  expect(xml.get('resource/identifier@identifierType')).toEqual(['URL']);
});

test('the citation has authors, year, title, edition, publisher and URL', () => {
  expect(datasetMetadata({ ...release, title: 'Fibers' }, 'text').text).toBe(
    'Ångström and Sons & Co., "Ltd", & Carberry, Jr, J. S. (2026). Fibers (Version v1.1.0) [Data set]. Example <Press>. ' +
      'https://doi.org/10.5072/esd.%7B1%7D_2%26%3C3%3E\n',
  );
  expect(edition(latest)).toBe('Dataset revision 812');
  expect(citationMetadata(record, 'text').text).toContain('record 17 (Version v1.1.0) [Data set].');
});

test('the Hugging Face card has valid YAML and escaped Markdown', () => {
  const [, front = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(textOf('hf-card')) ?? [];
  expect(parseYaml(front)).toMatchObject({
    pretty_name: facts.title,
    license: 'cc-by-4.0',
    tags: facts.keywords,
    size_categories: ['n<1K'],
    configs: [{ config_name: 'records', data_files: 'records.parquet' }],
  });
  expect(body.replace(/^```bibtex\n[^`]*(?:`code`[^`]*)*^```$/m, '')).not.toMatch(/<b>|(?<!\\)\*|^-{3}/m);
  expect(textOf('hf-card', { ...release, description: '---\n\n1. a\n\n- b' })).toContain(
    '\n\n\\---\n\n1\\. a\n\n\\- b\n',
  );
  const ofText = { ...release, license: 'Ask\nus' };
  expect(parseYaml(textOf('hf-card', ofText).split('---\n')[1] ?? '')).toMatchObject({
    license: 'other',
    license_name: 'Ask us',
  });
});

test('Croissant has a field for each column of its table', () => {
  const json = jsonOf('croissant');
  expect(json).toMatchObject({ version: '1.1.0', distribution: [{ encodingFormat: 'application/x-parquet' }, {}] });
  const fields = [...columnTypes.keys()].map((column) => ({
    name: column,
    source: { fileObject: { '@id': 'records.parquet' }, extract: { column } },
  }));
  expect(json).toMatchObject({ recordSet: [{ field: fields }] });
  expect(jsonOf('croissant', latest)).toMatchObject({ isLiveDataset: true });
  expect(jsonOf('croissant', latest)).toMatchObject({ version: `0.0.${latest.revision}`, isLiveDataset: true });
});

test('schema.org has id, identifier and URL; a release also has its version', () => {
  const json = jsonOf('schema-org');
  expect(json).toMatchObject({
    '@id': 'https://doi.org/10.5072/esd.%7B1%7D_2%26%3C3%3E',
    url: release.url,
    version: 'v1.1.0',
    'prov:wasRevisionOf': { '@id': 'https://doi.org/10.5072/esd.1' },
    variableMeasured: [{ alternateName: 'concentration', unitText: 'wt%', minValue: 0.5, maxValue: 60 }, {}],
  });
  expect(jsonOf('schema-org', latest)).toMatchObject({ '@id': latest.url, identifier: { value: latest.url } });
  expect(jsonOf('schema-org', latest)).toMatchObject({ version: `latest-r${latest.revision}` });
});

test('every JSON format is valid JSON with the title and the permanent URL', () => {
  for (const format of datasetFormatNames) {
    const text = textOf(format);
    if (/^[{[]/.test(text))
      expect(JSON.stringify(JSON.parse(text))).toContain(JSON.stringify(facts.title).slice(1, -1));
    expect(text).toMatch(/10\.5072\/esd/);
    expect(textOf(format, latest)).toContain(latest.url);
  }
  for (const format of citationFormatNames) {
    expect(citationMetadata(record, format).text.replaceAll('&amp;', '&')).toContain(record.url);
    const ofQuery = citationMetadata(query, format).text;
    for (const part of [query.url, query.title, query.digest])
      expect([format, ofQuery]).toEqual([format, expect.stringContaining(part)]);
  }
});

test('a record is described by its data, its paper by its DOI', () => {
  const { title, description, papers } = describeRecord(
    17,
    {
      researchMetadata: { doi: 'DOI10.1002/app.32569', publicationTitle: ` ${HOSTILE}\n` },
      polymerProperty: { polymerComponents: [{ polymerName: 'PAN' }, { polymerName: 'PEO' }] },
      solventProperty: { solventComponents: [{ solventName: 'DMF' }] },
    },
    record.values,
    facts,
  );
  expect(title).toBe('Electrospinning of PAN and PEO from DMF, record 17');
  expect(description).toContain('solution concentration 15 wt%');
  expect(papers).toEqual([{ doi: '10.1002/app.32569', title: HOSTILE }]);
  const bare = describeRecord(1, {}, [], facts);
  expect(bare.papers).toEqual([]);
  expect(bare.description.length).toBeGreaterThanOrEqual(50);
});

test('a query is cited with its version, digest and URL, as a part of the release', () => {
  expect(citationMetadata({ ...query, facts: { ...facts, creators: facts.creators.slice(0, 1) } }, 'text').text).toBe(
    `Ångström and Sons & Co., "Ltd". (2026). ${query.title} (Version v1.1.0, digest ${query.digest}) [Data set]. Example <Press>. ${query.url}\n`,
  );
  expect(JSON.parse(citationMetadata(query, 'schema-org').text)).toMatchObject({
    '@id': query.url,
    isPartOf: { '@id': 'https://doi.org/10.5072/esd.%7B1%7D_2%26%3C3%3E' },
    size: '3 records',
    distribution: [{ contentUrl: query.files[0]?.url, encodingFormat: 'text/csv' }],
  });
  expect(JSON.parse(citationMetadata(query, 'datacite-json').text)).toMatchObject({
    relatedIdentifiers: expect.arrayContaining([
      { relatedIdentifier: release.doi, relatedIdentifierType: 'DOI', relationType: 'IsPartOf' },
    ]),
    sizes: ['3 records'],
  });
});

test.each([
  [{}, 'Fibers: 12 records'],
  [{ status: 'PUBLISHED' }, 'Fibers: 12 records'],
  [
    { polymer: 'PVDF', voltageMin: 15, flowRateMax: 2, tipDistMin: 5, tipDistMax: 20 },
    'Fibers: 12 records with flow rate at most 2 mL/h, polymer like “PVDF”, tip-to-collector distance from 5 to 20 cm, voltage at least 15 kV',
  ],
  [
    { polymer: '=PVA|PCL', collectorType: '=', isFormationStable: 'no', doi: '=10.1000/A' },
    'Fibers: 12 records with no collector type, DOI “10.1000/a”, unstable fiber formation, polymer “PCL” or “PVA”',
  ],
  [{ solventDielectricConstantMin: 30 }, 'Fibers: 12 records with solvent dielectric constant at least 30'],
  [{ polymer: 'x'.repeat(300), voltageMin: 1 }, 'Fibers: 12 records that match 2 conditions'],
])('the filter %j has a title in words', (filter, title) => {
  const filterJson = JSON.stringify(filter);
  const found = { version: undefined, revision: 7, recordCount: 12, digest: 'ef'.repeat(32), once: false };
  const described = describeQuery(filterJson, found, { title: 'Fibers' });
  expect(described.title).toBe(title);
  expect(described.description).toContain(
    `12 records of “Fibers” (Dataset revision 7) found by the filter ${filterJson}.`,
  );
  const once = describeQuery(filterJson, { ...found, once: true }, { title: 'Fibers' });
  expect(once.title).toBe(`${title}, repeats counted once`);
  expect(once.description).toContain('repeat each other');
});

test('every column has a unique description', () => {
  const texts = [...columnTypes.keys()].map(columnText);
  expect(new Set(texts).size).toBe(texts.length);
  expect(columnText('voltage')).toBe(
    'Potential between needle and collector. Its unit is in voltage_unit; the default is kV.',
  );
  for (const text of texts) expect(text).toMatch(/^[A-Z][^\n]*\.$/);
});

test('licenses, works and DOIs have URLs', () => {
  expect(licenseOf({ license: 'MIT' })).toEqual({ spdx: 'MIT', url: 'https://spdx.org/licenses/MIT' });
  expect(licenseOf({ license: 'https://example.org/l' })).toEqual({ url: 'https://example.org/l' });
  expect(licenseOf({ license: 'Ask us' })).toEqual({});
  expect(workUrl({ type: 'arXiv', identifier: 'arXiv:2603.27841' })).toBe('https://arxiv.org/abs/2603.27841');
  expect(doiUrl('10.1/a<b>#c')).toBe('https://doi.org/10.1/a%3Cb%3E%23c');
});

test('a DOI that ends like a sub-path of the dataset is detected', () => {
  expect(endsInSubPath('10.5072/records/17/metadata')).toBe(true);
  expect(endsInSubPath('10.5072/records/metadata')).toBe(true);
  for (const end of ['papers', 'summary', 'facets', 'export', 'nearest', 'metadata', 'records/5']) {
    expect([end, endsInSubPath(`10.5072/x/${end}`)]).toEqual([end, true]);
  }
  expect(endsInSubPath('10.5072/x.facets/records')).toBe(false);
  expect(endsInSubPath('10.5072/17/metadatas')).toBe(false);
});

test('a data package describes the columns of each file, and a paper without a DOI has its URL', () => {
  const address = 'https://papers.example/PII/S1';
  const described = { ...latest, papers: [{ doi: address, title: 'Without DOI' }] };
  const columnsIn = (json: unknown) =>
    z
      .object({
        resources: z.array(
          z.object({
            format: z.string(),
            schema: z.object({ fields: z.array(z.object({ name: z.string(), description: z.string() })) }).optional(),
          }),
        ),
        sources: z.array(z.unknown()),
      })
      .parse(json);
  const { resources, sources } = columnsIn(jsonOf('datapackage', described));
  for (const { format, schema } of resources) {
    const columns = fileFormatNames.flatMap((name) => (name === format ? [columnsOf(name)] : []))[0];
    expect([format, schema?.fields.map(({ name }) => name)]).toEqual([format, columns?.map(({ name }) => name)]);
    for (const { name, description } of schema?.fields ?? [])
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)]);
  }
  expect(sources).toEqual([{ title: 'Without DOI', path: address }]);
  expect(jsonOf('datacite-json', described)).toMatchObject({
    relatedIdentifiers: expect.arrayContaining([
      { relatedIdentifier: address, relatedIdentifierType: 'URL', relationType: 'IsDerivedFrom' },
    ]),
  });
  expect(jsonOf('schema-org', described)).toMatchObject({ isBasedOn: [{ '@id': address, identifier: address }] });
});
