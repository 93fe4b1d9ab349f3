import { creatorName, type DatasetFacts } from '@esd/record/metadata/dataset-facts';
import { licenseOf } from '@esd/record/metadata/description';
import { element, xmlDocument, type XmlElement } from '@esd/record/metadata/formats/xml';

export const ATOM_TYPE = 'application/atom+xml; charset=utf-8';

export interface AtomFeed {
  /** The absolute URL of the feed. */
  readonly url: string;
  /** The web page with the same content. */
  readonly page: string;
  /** The next page of the feed (RFC 5005). */
  readonly next?: string | undefined;
  readonly title: string;
  readonly updated: Date;
  readonly facts: Pick<DatasetFacts, 'creators'>;
  readonly license: string;
  readonly entries: readonly AtomEntry[];
}

export interface AtomEntry {
  /** A URL that identifies this state of the entry. */
  readonly id: string;
  readonly page: string;
  readonly title: string;
  readonly updated: Date;
  readonly published: Date;
  readonly related?: { readonly url: string; readonly title?: string | undefined } | undefined;
  /** Plain text. */
  readonly summary: string;
}

/** Writes an Atom feed (RFC 4287). */
export function atomFeed({ url, page, next, title, updated, facts, license, entries }: AtomFeed): string {
  const { url: licenseUrl } = licenseOf({ license });
  return xmlDocument(
    element('feed', { xmlns: 'http://www.w3.org/2005/Atom', 'xml:lang': 'en' }, [
      element('id', {}, url),
      element('title', {}, title),
      element('updated', {}, updated.toISOString()),
      link('self', url, { type: 'application/atom+xml' }),
      link('alternate', page, { type: 'text/html' }),
      ...(next === undefined ? [] : [link('next', next, { type: 'application/atom+xml' })]),
      ...facts.creators.map((creator) => element('author', {}, [element('name', {}, creatorName(creator))])),
      element('rights', {}, licenseUrl === undefined || licenseUrl === license ? license : `${license}, ${licenseUrl}`),
      ...entries.map(atomEntry),
    ]),
  );
}

function atomEntry({ id, page, title, updated, published, related, summary }: AtomEntry): XmlElement {
  return element('entry', {}, [
    element('id', {}, id),
    element('title', {}, title),
    element('updated', {}, updated.toISOString()),
    element('published', {}, published.toISOString()),
    link('alternate', page, { type: 'text/html' }),
    ...(related ? [link('related', related.url, { title: related.title })] : []),
    element('summary', {}, summary),
  ]);
}

function link(rel: string, href: string, attributes: XmlElement['attributes']): XmlElement {
  return element('link', { rel, href, ...attributes }, '');
}
