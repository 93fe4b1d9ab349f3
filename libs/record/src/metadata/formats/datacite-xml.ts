import type { Description } from '../description.ts';
import { dataCite, type DataCite } from './datacite.ts';
import { element, type XmlElement, xmlDocument } from './xml.ts';

const ROOT = {
  xmlns: 'http://datacite.org/schema/kernel-4',
  'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
  'xsi:schemaLocation': 'http://datacite.org/schema/kernel-4 http://schema.datacite.org/meta/kernel-4.5/metadata.xsd',
};

/** Writes DataCite 4.5 as XML. Without a DOI, the identifier is the permanent URL. */
export function dataCiteXml(description: Description): string {
  const { doi, url } = description;
  const of = dataCite(description);
  return xmlDocument(
    element('resource', ROOT, [
      element('identifier', { identifierType: doi === undefined ? 'URL' : 'DOI' }, doi ?? url),
      element(
        'creators',
        {},
        of.creators.map((creator) => element('creator', {}, nameParts('creatorName', creator))),
      ),
      element(
        'titles',
        {},
        of.titles.map(({ title, lang }) => element('title', { 'xml:lang': lang }, title)),
      ),
      element('publisher', {}, of.publisher.name),
      element('publicationYear', {}, of.publicationYear),
      element('resourceType', { resourceTypeGeneral: of.types.resourceTypeGeneral }, of.types.resourceType),
      ...list(
        'subjects',
        of.subjects.map(({ subject, lang }) => element('subject', { 'xml:lang': lang }, subject)),
      ),
      element(
        'dates',
        {},
        of.dates.map(({ date, dateType }) => element('date', { dateType }, date)),
      ),
      element('language', {}, of.language),
      ...list(
        'relatedIdentifiers',
        of.relatedIdentifiers.map(({ relatedIdentifier, ...attributes }) =>
          element('relatedIdentifier', attributes, relatedIdentifier),
        ),
      ),
      ...list(
        'sizes',
        of.sizes.map((size) => element('size', {}, size)),
      ),
      ...list(
        'formats',
        of.formats.map((format) => element('format', {}, format)),
      ),
      ...(of.version === undefined ? [] : [element('version', {}, of.version)]),
      element('rightsList', {}, of.rightsList.map(rights)),
      element(
        'descriptions',
        {},
        of.descriptions.map(({ description: text, descriptionType, lang }) =>
          element('description', { descriptionType, 'xml:lang': lang }, text),
        ),
      ),
    ]),
  );
}

/** The schema does not allow empty lists. */
function list(name: string, items: XmlElement[]): XmlElement[] {
  return items.length === 0 ? [] : [element(name, {}, items)];
}

function nameParts(tag: string, creator: DataCite['creators'][number]): XmlElement[] {
  const { name, nameType, givenName, familyName, affiliation = [], nameIdentifiers = [] } = creator;
  return [
    element(tag, { nameType }, name),
    ...(givenName === undefined ? [] : [element('givenName', {}, givenName)]),
    ...(familyName === undefined ? [] : [element('familyName', {}, familyName)]),
    ...nameIdentifiers.map(({ nameIdentifier, nameIdentifierScheme, schemeUri }) =>
      element('nameIdentifier', { nameIdentifierScheme, schemeURI: schemeUri }, nameIdentifier),
    ),
    ...affiliation.map((one) => element('affiliation', {}, one.name)),
  ];
}

function rights({ rights: text, rightsUri, schemeUri, lang, ...rest }: DataCite['rightsList'][number]): XmlElement {
  const attributes = { rightsURI: rightsUri, ...rest, schemeURI: schemeUri, 'xml:lang': lang };
  return element('rights', attributes, text);
}
