import type { CitedPaper } from '../../papers/paper.ts';
import { doiUrl, type Creator } from '../dataset-facts.ts';
import { isDoi } from '../doi.ts';
import { type Cited, edition, identifierUrl, oneLine, yearOf } from '../description.ts';

export const citationStyles = ['apa'] as const;

/** Writes an APA citation on one line (Publication Manual, 7th edition, 10.9, data sets). */
export function citationText(description: Cited): string {
  const { facts, title, issued } = description;
  const which = edition(description);
  const authors = authorList(facts.creators.map(author));
  const name = `${oneLine(title)}${which === undefined ? '' : ` (${which})`} [Data set].`;
  const publisher = facts.publisher.name === authors ? '' : ` ${sentence(oneLine(facts.publisher.name))}`;
  return `${sentence(authors)} (${yearOf(issued)}). ${name}${publisher} ${identifierUrl(description)}\n`;
}

/** Writes an APA citation of a paper on one line (Publication Manual, 7th edition, 10.1). Absent facts are left out. */
export function paperCitation({ doi, title, authors, year, journal, url }: CitedPaper): string {
  const names = authorList(
    authors.map((one) =>
      'name' in one
        ? oneLine(one.name)
        : one.given === undefined
          ? oneLine(one.family)
          : author({ type: 'Person', familyName: one.family, givenName: one.given }),
    ),
  );
  const parts = [
    ...(names === '' ? [] : [year === undefined ? sentence(names) : names]),
    ...(year === undefined ? [] : [`(${year}).`]),
    ...(title === undefined ? [] : [sentence(oneLine(title))]),
    ...(journal === undefined ? [] : [sentence(oneLine(journal))]),
    isDoi(doi) ? doiUrl(doi) : (url ?? oneLine(doi)),
  ];
  return parts.join(' ');
}

function author(creator: Creator): string {
  if (creator.type === 'Organization') return oneLine(creator.name);
  const initials = creator.givenName
    .split(/[\s.]+/)
    .filter((part) => part !== '')
    .map((part) =>
      part
        .split('-')
        .map((word) => `${[...word][0] ?? ''}.`)
        .join('-'),
    );
  return oneLine(`${creator.familyName}, ${initials.join(' ')}`);
}

const MAX_AUTHORS = 20;

function authorList(authors: readonly string[]): string {
  const last = authors.at(-1) ?? '';
  if (authors.length <= 1) return last;
  if (authors.length > MAX_AUTHORS) return `${authors.slice(0, MAX_AUTHORS - 1).join(', ')}, . . . ${last}`;
  return `${authors.slice(0, -1).join(', ')}, & ${last}`;
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
