import { type FileFormatName, fileFormats } from '../../catalog/file-formats.ts';
import { columnTypes } from '../../flatten/flatten.ts';
import { columnText } from '../column-facts.ts';
import { creatorName } from '../dataset-facts.ts';
import { type DatasetDescription, dayOf, mediaTypeOf } from '../description.ts';
import { json } from './json.ts';
import { schemaOrgDataset } from './schema-org.ts';
import { citationText } from './text.ts';

/** The context that mlcroissant 1.1.1 writes for Croissant 1.1, plus one additional term. */
const CONTEXT = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  arrayShape: 'cr:arrayShape',
  citeAs: 'cr:citeAs',
  column: 'cr:column',
  conformsTo: 'dct:conformsTo',
  containedIn: 'cr:containedIn',
  cr: 'http://mlcommons.org/croissant/',
  rai: 'http://mlcommons.org/croissant/RAI/',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  dct: 'http://purl.org/dc/terms/',
  description: { '@container': '@language' },
  equivalentProperty: 'cr:equivalentProperty',
  examples: { '@id': 'cr:examples', '@type': '@json' },
  extract: 'cr:extract',
  field: 'cr:field',
  fileProperty: 'cr:fileProperty',
  fileObject: 'cr:fileObject',
  fileSet: 'cr:fileSet',
  format: 'cr:format',
  includes: 'cr:includes',
  isArray: 'cr:isArray',
  isLiveDataset: 'cr:isLiveDataset',
  jsonPath: 'cr:jsonPath',
  key: 'cr:key',
  md5: 'cr:md5',
  name: { '@container': '@language' },
  parentField: 'cr:parentField',
  path: 'cr:path',
  recordSet: 'cr:recordSet',
  references: 'cr:references',
  regex: 'cr:regex',
  repeated: 'cr:repeated',
  replace: 'cr:replace',
  samplingRate: 'cr:samplingRate',
  sc: 'https://schema.org/',
  separator: 'cr:separator',
  source: 'cr:source',
  subField: 'cr:subField',
  transform: 'cr:transform',
};

/** Media types that Croissant readers expect instead of the registered ones. */
const ENCODINGS: Partial<Record<FileFormatName, string>> = { parquet: 'application/x-parquet' };

const DATA_TYPES = { integer: 'sc:Integer', number: 'sc:Float', boolean: 'sc:Boolean', text: 'sc:Text' } as const;

/** The file whose columns are the fields. */
const TABLE: FileFormatName = 'parquet';

export function croissant(description: DatasetDescription): string {
  const { version, files, facts } = description;
  const { url, license, keywords, publisher, datePublished } = schemaOrgDataset(description);
  return json({
    '@context': CONTEXT,
    '@type': 'sc:Dataset',
    name: description.title,
    description: description.description,
    conformsTo: 'http://mlcommons.org/croissant/1.1',
    // Readers require the form MAJOR.MINOR.PATCH.
    version: version === undefined ? `0.0.${description.revision}` : version.replace(/^v/, ''),
    ...(version === undefined ? { isLiveDataset: true } : {}),
    citeAs: citationText(description).trim(),
    url,
    license,
    keywords,
    creator: facts.creators.map((creator) => ({
      '@type': creator.type === 'Person' ? 'sc:Person' : 'sc:Organization',
      name: creator.type === 'Person' ? `${creator.givenName} ${creator.familyName}` : creatorName(creator),
    })),
    publisher,
    datePublished,
    dateModified: dayOf(description.issued),
    inLanguage: 'en',
    distribution: files.map((file) => ({
      '@type': 'cr:FileObject',
      '@id': idOf(file.format),
      name: idOf(file.format),
      description: `All records as ${file.format}.`,
      contentUrl: file.url,
      encodingFormat: ENCODINGS[file.format] ?? mediaTypeOf(file),
      ...(file.stored === undefined ? {} : { contentSize: `${file.stored.bytes} B`, sha256: file.stored.sha256 }),
    })),
    recordSet: [
      {
        '@type': 'cr:RecordSet',
        '@id': 'records',
        name: 'records',
        description:
          'One electrospinning experiment per row, as submitted. The unit of a quantity is in the next column.',
        key: { '@id': 'records/experiment_id' },
        field: [...columnTypes].map(([column, type]) => ({
          '@type': 'cr:Field',
          '@id': `records/${column}`,
          name: column,
          description: columnText(column),
          dataType: DATA_TYPES[type],
          source: { fileObject: { '@id': idOf(TABLE) }, extract: { column } },
        })),
      },
    ],
  });
}

function idOf(format: FileFormatName): string {
  return fileFormats[format].fileName;
}
