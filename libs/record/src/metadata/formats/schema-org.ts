import { type Creator, doiUrl, orcidUrl, type RelatedWork, workUrl } from '../dataset-facts.ts';
import {
  type DataFile,
  type DatasetDescription,
  dayOf,
  type Description,
  identifierUrl,
  licenseOf,
  mediaTypeOf,
  paperUrl,
  type QueryDescription,
  type RecordDescription,
} from '../description.ts';
import { isDoi } from '../doi.ts';
import type { FeatureFacts } from '../feature-facts.ts';
import { json } from './json.ts';

const CONTEXT = { '@vocab': 'http://schema.org/', prov: 'http://www.w3.org/ns/prov#' };

/** Writes a schema.org/Dataset as JSON-LD, following the guidelines of science-on-schema.org. */
export function schemaOrg(description: Description): string {
  return json({ '@context': CONTEXT, ...schemaOrgDataset(description) });
}

/** Returns the members of a schema.org/Dataset, also used by other JSON-LD formats. */
export function schemaOrgDataset(description: Description): Record<string, unknown> {
  const { facts, title, url, issued, papers } = description;
  const of = membersOf(description);
  const { url: license = description.license } = licenseOf(description);
  return {
    '@id': identifierUrl(description),
    '@type': 'Dataset',
    name: title,
    description: description.description,
    url,
    sameAs: identifierUrl(description),
    identifier: identifierOf(description),
    ...versionMember(description),
    license,
    isAccessibleForFree: true,
    keywords: [...facts.keywords],
    creator: { '@list': facts.creators.map(agent) },
    publisher: { '@type': 'Organization', name: facts.publisher.name, ...urlMember(facts.publisher.url) },
    ...maintainer(description),
    datePublished: dayOf(issued),
    ...of,
    isBasedOn: papers.map(paper),
    citation: facts.related.map(work),
  };
}

/** Returns the identifier of a release; that of the state for the latest dataset. */
function versionMember(description: Description): { version?: string } {
  const { kind, version } = description;
  if (version !== undefined) return { version };
  return kind === 'dataset' ? { version: `latest-r${description.revision}` } : {};
}

function membersOf(description: Description) {
  switch (description.kind) {
    case 'dataset':
      return ofDataset(description);
    case 'record':
      return ofRecord(description);
    case 'query':
      return ofQuery(description);
  }
}

function ofDataset({ files, variables, previous, recordCount, root, version }: DatasetDescription) {
  return {
    size: `${recordCount} records`,
    variableMeasured: variables.map(({ feature, min, max }) => ({
      ...variable(feature, root),
      minValue: min,
      maxValue: max,
    })),
    distribution: files.map(download),
    includedInDataCatalog: { '@type': 'DataCatalog', url: root === '' ? '/' : root },
    ...(version === undefined || previous === undefined
      ? {}
      : { 'prov:wasRevisionOf': { '@id': identifierUrl(previous) } }),
  };
}

function download(file: DataFile) {
  return {
    '@type': 'DataDownload',
    '@id': file.url,
    name: `${file.format} file`,
    contentUrl: file.url,
    encodingFormat: mediaTypeOf(file),
    ...(file.stored === undefined ? {} : { contentSize: `${file.stored.bytes} B`, sha256: file.stored.sha256 }),
  };
}

function ofQuery({ dataset, recordCount, files }: QueryDescription) {
  return {
    size: `${recordCount} records`,
    isPartOf: { '@id': identifierUrl(dataset) },
    distribution: files.map(download),
  };
}

function ofRecord({ values, dataset, modified, dataUrl, root }: RecordDescription) {
  return {
    dateModified: dayOf(modified),
    // A reference only: a Dataset node would need all required members.
    isPartOf: { '@id': identifierUrl(dataset) },
    variableMeasured: values.map(({ feature, value }) => ({ ...variable(feature, root), value })),
    distribution: [
      { '@type': 'DataDownload', '@id': dataUrl, contentUrl: dataUrl, encodingFormat: 'application/json' },
    ],
  };
}

function variable({ feature, name, description, unit, qudtUri }: FeatureFacts, root: string) {
  return {
    '@type': 'PropertyValue',
    name,
    alternateName: feature,
    description,
    propertyID: `${root}/openapi.json#/components/schemas/Normalized/properties/${feature}`,
    unitText: unit,
    ...(qudtUri === undefined ? {} : { unitCode: qudtUri }),
  };
}

function identifierOf(description: Description) {
  const { doi, url } = description;
  if (doi === undefined) return { '@type': 'PropertyValue', propertyID: 'URL', value: url, url };
  return {
    '@type': 'PropertyValue',
    propertyID: 'https://registry.identifiers.org/registry/doi',
    value: `doi:${doi}`,
    url: doiUrl(doi),
  };
}

function agent(creator: Creator) {
  if (creator.type === 'Organization') {
    return { '@type': 'Organization', name: creator.name, ...urlMember(creator.url) };
  }
  const { givenName, familyName, orcid, affiliation } = creator;
  return {
    ...(orcid === undefined ? {} : { '@id': orcidUrl(orcid) }),
    '@type': 'Person',
    name: `${givenName} ${familyName}`,
    givenName,
    familyName,
    ...(orcid === undefined
      ? {}
      : {
          identifier: {
            '@type': 'PropertyValue',
            propertyID: 'https://registry.identifiers.org/registry/orcid',
            value: `orcid:${orcid}`,
            url: orcidUrl(orcid),
          },
        }),
    ...(affiliation === undefined ? {} : { affiliation: { '@type': 'Organization', name: affiliation } }),
  };
}

function maintainer({ facts }: Description) {
  const { contact } = facts;
  if (contact === undefined) return {};
  const how = contact.startsWith('mailto:') ? { email: contact.slice('mailto:'.length) } : { url: contact };
  return { maintainer: { '@type': 'Organization', name: facts.publisher.name, ...how } };
}

function paper({ doi, title }: Description['papers'][number]) {
  return {
    '@type': 'ScholarlyArticle',
    '@id': paperUrl({ doi }),
    ...(title === undefined ? {} : { name: title }),
    identifier: isDoi(doi) ? `doi:${doi}` : doi,
    url: paperUrl({ doi }),
  };
}

function work(related: RelatedWork) {
  return { '@type': 'CreativeWork', '@id': workUrl(related), identifier: related.identifier, url: workUrl(related) };
}

function urlMember(url: string | undefined): { url?: string } {
  return url === undefined ? {} : { url };
}
