import { fileFormats } from '../../catalog/file-formats.ts';
import { type Creator, orcidUrl, workUrl } from '../dataset-facts.ts';
import { type DatasetDescription, dayOf, identifierUrl, licenseOf, mediaTypeOf, paperUrl } from '../description.ts';
import { json } from './json.ts';

/** A file of a crate, or a folder, whose path ends with a slash. */
export interface CrateFile {
  readonly path: string;
  readonly name: string;
  readonly mediaType?: string;
}

/**
 * Writes RO-Crate 1.2. A detached crate refers to the dataset files by URL. An attached crate contains the files under
 * their names, plus `others`, which do not belong to the dataset.
 */
export function roCrate(description: DatasetDescription, attached?: { others: readonly CrateFile[] }): string {
  const { facts, title, url, version, issued, papers, files, variables, doi } = description;
  const creators = facts.creators.map((creator, at) => agent(creator, at));
  const license = licenseEntity(description);
  const publisher = {
    '@id': facts.publisher.url ?? '#publisher',
    '@type': 'Organization',
    name: facts.publisher.name,
    url: facts.publisher.url,
  };
  const articles = papers.map((paper) => ({
    '@id': paperUrl(paper),
    '@type': 'ScholarlyArticle',
    identifier: paperUrl(paper),
    name: paper.title ?? paper.doi,
  }));
  const works = facts.related.map((work) => ({ '@id': workUrl(work), '@type': 'CreativeWork', name: work.identifier }));
  const downloads = files.map((file) => ({
    '@id': attached ? fileFormats[file.format].fileName : file.url,
    '@type': 'File',
    name: file.format === 'zip' ? 'Images' : `Records (${file.format})`,
    description: file.format === 'zip' ? 'The images of the records.' : `All records as ${file.format}.`,
    sdDatePublished: dayOf(issued),
    encodingFormat: mediaTypeOf(file),
    ...(file.stored === undefined ? {} : { contentSize: String(file.stored.bytes), sha256: file.stored.sha256 }),
  }));
  const others = (attached?.others ?? []).map(({ path, name, mediaType }) => ({
    '@id': path,
    '@type': path.endsWith('/') ? 'Dataset' : 'File',
    name,
    ...(mediaType === undefined ? {} : { encodingFormat: mediaType }),
  }));
  const measured = variables.map(({ feature, min, max }) => ({
    '@id': `#${feature.feature}`,
    '@type': 'PropertyValue',
    name: feature.name,
    description: feature.description,
    unitText: feature.unit,
    ...(feature.qudtUri === undefined ? {} : { unitCode: feature.qudtUri }),
    minValue: min,
    maxValue: max,
  }));
  const identifier = {
    '@id': '#identifier',
    '@type': 'PropertyValue',
    propertyID: doi === undefined ? 'URL' : 'https://registry.identifiers.org/registry/doi',
    value: doi === undefined ? url : `doi:${doi}`,
    url: identifierUrl(description),
  };
  const root = {
    '@id': './',
    '@type': 'Dataset',
    name: title,
    description: description.description,
    url,
    identifier: reference(identifier),
    ...(version === undefined ? {} : { version }),
    datePublished: dayOf(issued),
    license: { '@id': license['@id'] },
    keywords: facts.keywords.join(', '),
    creator: references(creators),
    publisher: reference(publisher),
    isBasedOn: references(articles),
    citation: references(works),
    hasPart: references([...downloads, ...others]),
    variableMeasured: references(measured),
  };
  const descriptor = {
    '@id': 'ro-crate-metadata.json',
    '@type': 'CreativeWork',
    conformsTo: { '@id': 'https://w3id.org/ro/crate/1.2' },
    about: { '@id': './' },
  };
  const entities = [
    descriptor,
    root,
    identifier,
    license,
    ...creators,
    publisher,
    ...articles,
    ...works,
    ...downloads,
    ...others,
    ...measured,
  ];
  return json({
    '@context': 'https://w3id.org/ro/crate/1.2/context',
    // Removes duplicates, such as a creator that is also the publisher.
    '@graph': [...new Map(entities.map((entity) => [entity['@id'], entity])).values()],
  });
}

function reference({ '@id': id }: { '@id': string }): { '@id': string } {
  return { '@id': id };
}

/** RO-Crate 1.2 requires a single value outside a list. */
function references(entities: readonly { '@id': string }[]) {
  const [first, ...others] = entities.map(reference);
  if (first === undefined) return undefined;
  return others.length === 0 ? first : [first, ...others];
}

function agent(creator: Creator, at: number) {
  if (creator.type === 'Organization') {
    return {
      '@id': creator.url ?? `#creator-${at + 1}`,
      '@type': 'Organization',
      name: creator.name,
      url: creator.url,
    };
  }
  const { givenName, familyName, orcid, affiliation } = creator;
  return {
    '@id': orcid === undefined ? `#creator-${at + 1}` : orcidUrl(orcid),
    '@type': 'Person',
    name: `${givenName} ${familyName}`,
    givenName,
    familyName,
    ...(affiliation === undefined ? {} : { affiliation }),
  };
}

function licenseEntity(description: DatasetDescription) {
  const { url } = licenseOf(description);
  return { '@id': url ?? '#license', '@type': 'CreativeWork', name: description.license };
}
