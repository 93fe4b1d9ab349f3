import { doiUrl } from '@esd/record/metadata/dataset-facts';
import { hasDotSegment, isDoi, isWebAddress, normalizeDoi } from '@esd/record/metadata/doi';
import type { PaperSummary } from '@esd/record/papers/paper';
import { useKnownNames } from './known-names.tsx';

/** Returns the DOI of a paper in its normalized form. Returns other texts without the surrounding spaces. */
export function paperOf(doi: string): string {
  return isDoi(doi) ? normalizeDoi(doi) : doi.trim();
}

/** Returns the URL of a paper; undefined if the text is not a DOI. */
export function paperAddress(doi: string): string | undefined {
  return isDoi(doi) ? doiUrl(doi) : undefined;
}

/** A link to the publisher of a paper. */
export function PaperLink({ doi }: { doi: string }) {
  const address = paperAddress(doi);
  if (address !== undefined) return <a href={address}>{doi}</a>;
  if (isWebAddress(doi) && !hasDotSegment(doi))
    return (
      <a href={doi} title={doi}>
        {shortened(doi)}
      </a>
    );
  return <>{doi}</>;
}

/** Title, authors, year and journal of a paper, with a link to its page; with `hasDoi` also a link to its publisher. Without a title, the DOI. */
export function PaperReference({ doi, hasDoi = false }: { doi: string; hasDoi?: boolean }) {
  const { base, paperOf: summaryOf } = useKnownNames();
  return (
    <>
      <PaperWords doi={doi} link={hasDotSegment(doi) ? undefined : `${base}/paper/${encodeURIComponent(doi)}`} />
      {hasDoi && summaryOf(doi).title !== undefined && (
        <small>
          <PaperLink doi={doi} />
        </small>
      )}
    </>
  );
}

/** The words of a reference, without a link unless one is given. The DOI is a hint. */
export function PaperWords({ doi, link }: { doi: string; link?: string | undefined }) {
  const { title, ...facts } = useKnownNames().paperOf(doi);
  const source = sourceText(facts);
  const [text, hint] = title === undefined ? [shortened(doi), doi] : [title, `${title} (${doi})`];
  return (
    <span class="paper-reference">
      {link === undefined ? (
        <span title={hint}>{text}</span>
      ) : (
        <a href={link} title={hint}>
          {text}
        </a>
      )}
      {source !== '' && <small title={source}>{source}</small>}
    </span>
  );
}

/** Returns the known facts without the title, such as "Reneker et al., 2000, Journal of Applied Physics". */
export function sourceText({ authors, year, journal }: Omit<PaperSummary, 'doi'>): string {
  return [authors, year, journal].filter((fact) => fact !== undefined).join(', ');
}

const MAX_LENGTH = 48;

function shortened(doi: string): string {
  const text = doi.replace(/^https?:\/\/(www\.)?/, '');
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`;
}
