import type { FileFormatName } from '../../catalog/file-formats.ts';
import { columnsOf, type FileColumn } from '../../flatten/file-columns.ts';
import { columnText } from '../column-facts.ts';
import { type Creator, orcidUrl } from '../dataset-facts.ts';
import { type DatasetDescription, identifierUrl, licenseOf, mediaTypeOf, paperUrl } from '../description.ts';
import { citationKey } from './citation-key.ts';
import { json } from './json.ts';

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
      ...(file.format === 'csv' ? { encoding: 'utf-8' } : {}),
      ...tableOf(file.format),
    })),
  });
}

/** Describes the columns of a file. A later software release can add columns, which stored parquet files lack. */
function tableOf(format: FileFormatName) {
  const columns = columnsOf(format);
  if (!columns) return { profile: 'data-resource' };
  const schema = { fields: columns.map(fieldOf), primaryKey: ['experiment_id'] };
  return {
    profile: 'tabular-data-resource',
    schema: format === 'parquet' ? { ...schema, fieldsMatch: 'superset' } : schema,
  };
}

function fieldOf({ name, type }: FileColumn) {
  return {
    name,
    type: type === 'list<string>' ? 'array' : type,
    description: columnText(name),
    ...(name === 'experiment_id' ? { constraints: { required: true, unique: true } } : {}),
  };
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
