import { isDoi, normalizeDoi } from '@esd/record/metadata/doi';

/** Returns the DOI of a paper in its normalized form. Returns other texts unchanged. */
export function paperOf(doi: string): string {
  return isDoi(doi) ? normalizeDoi(doi) : doi;
}

export function PaperLink({ doi }: { doi: string }) {
  if (/^10\.\d{4,9}\//.test(doi)) return <a href={`https://doi.org/${encodeURI(doi)}`}>{doi}</a>;
  if (/^https?:\/\//.test(doi)) return <a href={doi}>{shortened(doi.replace(/^https?:\/\/(www\.)?/, ''))}</a>;
  return <>{doi}</>;
}

const MAX_LENGTH = 48;

function shortened(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`;
}
