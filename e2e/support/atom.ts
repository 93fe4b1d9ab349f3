import assert from 'node:assert/strict';
import { z } from 'zod';
import { parseXml, type XmlNode } from './xml.ts';

const ATOM = 'http://www.w3.org/2005/Atom';
const time = z.iso.datetime();

export interface Feed {
  id: string;
  title: string;
  updated: string;
  rights: string;
  authors: string[];
  /** By relation. */
  links: ReadonlyMap<string, string>;
  entries: Entry[];
}

export interface Entry {
  id: string;
  title: string;
  updated: string;
  published: string;
  summary: string;
  links: ReadonlyMap<string, string>;
}

/**
 * Parses a feed, and checks the rules of RFC 4287 and of the W3C feed validator: required elements once, RFC 3339 times, absolute URLs,
 * an author, one `self` and one `alternate` link, distinct entries.
 */
export function readFeed(xml: string): Feed {
  const root = parseXml(xml);
  assert.deepEqual([root.name, root.namespace], ['feed', ATOM]);
  const { children } = root;
  for (const node of children) assert.equal(node.namespace, ATOM);
  const links = linksOf(root);
  assert(links.has('self') && links.has('alternate'));
  const authors = children.filter(({ name }) => name === 'author').map((author) => one(author, 'name'));
  assert(authors.length > 0, 'a feed has an author');
  const entries = children.filter(({ name }) => name === 'entry').map(readEntry);
  assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length);
  const after = children.slice(children.findIndex(({ name }) => name === 'entry')).map(({ name }) => name);
  if (entries.length > 0) assert.deepEqual(new Set(after), new Set(['entry']));
  return {
    id: absolute(one(root, 'id')),
    title: one(root, 'title'),
    updated: time.parse(one(root, 'updated')),
    rights: one(root, 'rights'),
    authors,
    links,
    entries,
  };
}

function readEntry(node: XmlNode): Entry {
  const links = linksOf(node);
  assert(links.has('alternate'));
  const [updated, published] = [time.parse(one(node, 'updated')), time.parse(one(node, 'published'))];
  assert(published <= updated);
  return {
    id: absolute(one(node, 'id')),
    title: one(node, 'title'),
    updated,
    published,
    summary: one(node, 'summary'),
    links,
  };
}

function one({ children }: XmlNode, wanted: string): string {
  const found = children.filter(({ name }) => name === wanted);
  const [first] = found;
  assert(first && found.length === 1, `${found.length} elements ${wanted}`);
  assert.equal(first.children.length, 0);
  assert.notEqual(first.text.trim(), '');
  return first.text;
}

function linksOf({ children }: XmlNode): Map<string, string> {
  const links = new Map<string, string>();
  for (const { name, attributes } of children) {
    if (name !== 'link') continue;
    const { rel = 'alternate', href = '' } = attributes;
    assert(!links.has(rel), `two links ${rel}`);
    links.set(rel, absolute(href));
  }
  return links;
}

function absolute(url: string): string {
  assert.match(url, /^https?:\/\/[^\s<>"{}|\\^`]+$/);
  assert(URL.canParse(url));
  return url;
}
