import type { FileFormatName } from '../../catalog/file-formats.ts';
import { columnTypes } from '../../flatten/flatten.ts';
import { columnText } from '../column-facts.ts';
import { type Creator, orcidUrl } from '../dataset-facts.ts';
import { type DatasetDescription, identifierUrl, licenseOf, mediaTypeOf, paperUrl } from '../description.ts';
import { citationKey } from './citation-key.ts';
import { json } from './json.ts';

const SCHEMA = {
  fields: [...columnTypes].map(([column, type]) => ({
    name: column,
    type: type === 'text' ? 'string' : type,
    description: columnText(column),
    ...(column === 'experiment_id' ? { constraints: { required: true, unique: true } } : {}),
  })),
  primaryKey: ['experiment_id'],
};

/** The formats whose columns are the flattened ones. */
const TABLES: readonly FileFormatName[] = ['csv', 'parquet', 'xlsx'];

export function dataPackage(description: DatasetDescription): string {
  const { facts, title, version, url, issued, papers, files, license } = description;
  const { spdx, url: path } = licenseOf(description);
  return json({
    profile: 'data-package',
    name: citationKey(description),
    id: identifierUrl(description),
    title,
    description: description.description,
    homepage: url,
    ...(version === undefined ? {} : { version: version.replace(/^v/, '') }),
    created: issued.toISOString(),
    keywords: facts.keywords,
    licenses: [
      { ...(spdx === undefined ? {} : { name: spdx }), ...(path === undefined ? {} : { path }), title: license },
    ],
    contributors: facts.creators.map(contributor),
    sources: papers.map(({ doi, title: name }) => ({ title: name ?? doi, path: paperUrl({ doi }) })),
    resources: files.map((file) => ({
      name: file.format === 'zip' ? 'images' : `records-${file.format}`,
      path: file.url,
      format: file.format,
      mediatype: mediaTypeOf(file),
      ...(file.stored === undefined ? {} : { bytes: file.stored.bytes, hash: `sha256:${file.stored.sha256}` }),
      ...(TABLES.includes(file.format)
        ? {
            profile: 'tabular-data-resource',
            ...(file.format === 'csv' ? { encoding: 'utf-8' } : {}),
            schema: schemaOf(file.format),
          }
        : { profile: 'data-resource' }),
    })),
  });
}

/** Parquet files have additional columns, except in older releases. */
function schemaOf(format: FileFormatName) {
  return format === 'parquet' ? { ...SCHEMA, fieldsMatch: 'superset' } : SCHEMA;
}

function contributor(creator: Creator) {
  return creator.type === 'Organization'
    ? { title: creator.name, role: 'author', ...(creator.url === undefined ? {} : { path: creator.url }) }
    : {
        title: `${creator.givenName} ${creator.familyName}`,
        role: 'author',
        ...(creator.orcid === undefined ? {} : { path: orcidUrl(creator.orcid) }),
        ...(creator.affiliation === undefined ? {} : { organization: creator.affiliation }),
      };
}
