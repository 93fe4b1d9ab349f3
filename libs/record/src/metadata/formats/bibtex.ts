import { type Creator, creatorName } from '../dataset-facts.ts';
import { type Description, edition, identifierUrl, oneLine, yearOf } from '../description.ts';
import { citationKey } from './citation-key.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  $: '\\$',
  '&': '\\&',
  '%': '\\%',
  '#': '\\#',
  _: '\\_',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
};

/** Writes one BibTeX entry in UTF-8: `@misc`, which every style supports. */
export function bibtex(description: Description): string {
  const { facts, title, version, doi, issued, license } = description;
  const fields: [string, string][] = [
    ['author', facts.creators.map(author).join(' and ')],
    // The inner braces preserve capitals.
    ['title', `{${escaped(title)}}`],
    ['year', yearOf(issued)],
    ['month', String(issued.getUTCMonth() + 1)],
    ['publisher', escaped(facts.publisher.name)],
    ['howpublished', `Data set${edition(description) === undefined ? '' : `, ${escaped(edition(description) ?? '')}`}`],
    ...(version === undefined ? [] : [['version', escaped(version)] satisfies [string, string]]),
    ...(doi === undefined ? [] : [['doi', verbatim(doi)] satisfies [string, string]]),
    ['url', verbatim(identifierUrl(description))],
    ['keywords', facts.keywords.map((keyword) => escaped(keyword.replaceAll(',', ' '))).join(', ')],
    ['copyright', escaped(license)],
  ];
  return bibtexEntry('misc', citationKey(description), fields);
}

/** Writes an entry. The values are escaped. */
export function bibtexEntry(type: string, key: string, fields: readonly (readonly [string, string])[]): string {
  const lines = fields.map(([name, value]) => `  ${name} = {${value}}`);
  return `@${type}{${key},\n${lines.join(',\n')}\n}\n`;
}

/** Encloses organizations in braces, so that BibTeX does not parse them as names of persons. */
export function author(creator: Creator): string {
  const name = escaped(creatorName(creator));
  return creator.type === 'Organization' ? `{${name}}` : name.replaceAll(/\band\b/g, '{and}');
}

/** Escapes a text for a BibTeX field. */
export function escaped(text: string): string {
  return oneLine(text).replaceAll(/[\\{}$&%#_^~]/g, (character) => ESCAPES[character] ?? '');
}

/** Encodes a URL or a DOI. They are not typeset, so characters that would end the field are percent-encoded. */
export function verbatim(text: string): string {
  return text.replaceAll(/[{}\\\s\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, (character) => encodeURIComponent(character));
}
