import { doiTerm } from '../filter/text-terms.ts';
import { hasDotSegment, isWebAddress } from '../metadata/doi.ts';
import { normalizeOrcid } from '../metadata/orcid.ts';
import { checkText, missing, report } from '../reference/check-entry.ts';
import { describe, type ValidationProblem } from '../validate/problems.ts';
import type { PaperAuthor, PaperFacts } from './paper.ts';

const MAX_LENGTH = 2_000;
const MAX_NAME_LENGTH = 500;
const MAX_AUTHORS = 1_000;
const FIRST_YEAR = 1_600;
const LAST_YEAR = 2_100;
/** The tags of rich text in CSL-JSON. */
const TAGS = /<\/?(?:i|b|em|sub|sup|scp|span)(?:\s[^<>]*)?\/?>/gi;

/**
 * Checks the facts of a paper and converts them to their stored form: trimmed texts without tags, the DOI as in the category `doi`.
 * Reports all problems. `names` are the paths of members in problems, if they differ from the names of the members.
 */
export function checkPaper(
  sent: PaperFacts,
  names: Readonly<Partial<Record<keyof PaperFacts, string>>> = {},
): { paper: PaperFacts; problems: ValidationProblem[] } {
  const check = { problems: [] as ValidationProblem[] };
  const nameOf = (member: keyof PaperFacts): string => names[member] ?? member;
  const textOf = (member: 'doi' | 'title' | 'journal' | 'publisher' | 'url') =>
    checkText(check, nameOf(member), withoutTags(sent[member]), MAX_LENGTH);
  const doi = doiTerm(textOf('doi') ?? '') || missing(check, nameOf('doi'));
  if (hasDotSegment(doi)) {
    const message = `Expected a DOI without the segments "." and "..", got ${describe(doi)}.`;
    report(check, nameOf('doi'), 'INVALID_FORMAT', message);
  }
  const title = textOf('title') ?? missing(check, nameOf('title'));
  const { authors, year } = sent;
  if (authors.length > MAX_AUTHORS) {
    const message = `Expected at most ${MAX_AUTHORS} authors, got ${authors.length}.`;
    report(check, nameOf('authors'), 'TOO_MANY_ITEMS', message);
  }
  if (year !== undefined && !(Number.isInteger(year) && year >= FIRST_YEAR && year <= LAST_YEAR)) {
    const message = `Expected a year from ${FIRST_YEAR} to ${LAST_YEAR}, got ${describe(year)}.`;
    report(check, nameOf('year'), 'INVALID_FORMAT', message);
  }
  const url = textOf('url');
  if (url !== undefined && !isWebAddress(url)) {
    const message = `Expected an address that begins with https:// or http://, got ${describe(url)}.`;
    report(check, nameOf('url'), 'INVALID_FORMAT', message);
  }
  const paper = {
    doi,
    title,
    authors: authors
      .slice(0, MAX_AUTHORS)
      .map((author, at) => checkAuthor(check, `${nameOf('authors')}[${at}]`, author)),
    year,
    journal: textOf('journal'),
    publisher: textOf('publisher'),
    url,
  };
  return { paper, problems: check.problems };
}

/** Removes tags, also those that the removal of others would form, so that an exported text is imported unchanged. */
function withoutTags(text: string | undefined): string | undefined {
  const plain = text?.replaceAll(TAGS, '');
  return plain === text ? text : withoutTags(plain);
}

function checkAuthor(check: { problems: ValidationProblem[] }, path: string, author: PaperAuthor): PaperAuthor {
  if ('name' in author) {
    return {
      name:
        checkText(check, `${path}.name`, withoutTags(author.name), MAX_NAME_LENGTH) ?? missing(check, `${path}.name`),
    };
  }
  const family =
    checkText(check, `${path}.family`, withoutTags(author.family), MAX_NAME_LENGTH) ?? missing(check, `${path}.family`);
  const given = checkText(check, `${path}.given`, withoutTags(author.given), MAX_NAME_LENGTH);
  const { orcid: sent } = author;
  const orcid = sent === undefined ? undefined : normalizeOrcid(sent);
  if (sent !== undefined && orcid === undefined) {
    const message = `Expected an ORCID iD with a valid check digit, such as 0000-0002-1825-0097, got ${describe(sent)}.`;
    report(check, `${path}.orcid`, 'INVALID_FORMAT', message);
  }
  return { family, ...(given === undefined ? {} : { given }), ...(orcid === undefined ? {} : { orcid }) };
}
