import { doiUrl } from '../metadata/dataset-facts.ts';
import { isDoi, isWebAddress } from '../metadata/doi.ts';
import { author, bibtexEntry, escaped, verbatim } from '../metadata/formats/bibtex.ts';
import { citationFormats } from '../metadata/metadata-formats.ts';
import { cslItem } from './csl.ts';
import type { CitedPaper, PaperAuthor } from './paper.ts';

interface CitationFile {
  readonly mediaType: string;
  readonly nameEnding: string;
  readonly opening: string;
  readonly separator: string;
  readonly closing: string;
  readonly write: (paper: CitedPaper) => string;
}

/** The formats of a file of citations: the texts of its papers with a separator, between an opening and a closing. */
export const citationFiles = {
  bibtex: {
    mediaType: citationFormats.bibtex.mediaType,
    nameEnding: '.bib',
    opening: '',
    separator: '\n',
    closing: '',
    write: paperBibtex,
  },
  'csl-json': {
    mediaType: citationFormats['csl-json'].mediaType,
    nameEnding: '.csl.json',
    opening: '[',
    separator: ',\n',
    closing: ']\n',
    write: (paper: CitedPaper): string => JSON.stringify(cslItem(paper)),
  },
} as const satisfies Readonly<Record<string, CitationFile>>;

export const citationFileNames = ['bibtex', 'csl-json'] as const satisfies readonly (keyof typeof citationFiles)[];
export type CitationFileFormat = (typeof citationFileNames)[number];

/** Writes a BibTeX entry: `@article` with a journal, otherwise `@misc`. Absent facts have no field. */
function paperBibtex({ doi, title, authors, year, journal, publisher, url }: CitedPaper): string {
  const address = url ?? (isDoi(doi) ? doiUrl(doi) : isWebAddress(doi) ? doi : undefined);
  const field = (name: string, value: string | undefined): (readonly [string, string])[] =>
    value === undefined || value === '' ? [] : [[name, value]];
  return bibtexEntry(journal === undefined ? 'misc' : 'article', keyOf(doi), [
    ...field('author', authors.map(authorText).join(' and ')),
    // The inner braces preserve capitals.
    ...field('title', title === undefined ? undefined : `{${escaped(title)}}`),
    ...field('journal', journal === undefined ? undefined : escaped(journal)),
    ...field('year', year?.toString()),
    ...field('publisher', publisher === undefined ? undefined : escaped(publisher)),
    ...field('doi', isDoi(doi) ? verbatim(doi) : undefined),
    ...field('url', address === undefined ? undefined : verbatim(address)),
    ...field('note', isDoi(doi) || address !== undefined ? undefined : escaped(doi)),
  ]);
}

function authorText(paperAuthor: PaperAuthor): string {
  if ('name' in paperAuthor) return author({ type: 'Organization', name: paperAuthor.name });
  const { family, given } = paperAuthor;
  // Braces preserve a name of one part, which BibTeX would otherwise divide.
  if (given === undefined) return author({ type: 'Organization', name: family });
  return author({ type: 'Person', familyName: family, givenName: given });
}

/** Returns a distinct key for each DOI: other characters than letters, digits and `.:/+-` as their code in hexadecimal digits. */
function keyOf(doi: string): string {
  return doi.replaceAll(/[^A-Za-z0-9.:/+-]/gu, (character) => `_${character.codePointAt(0)?.toString(16) ?? ''}_`);
}
