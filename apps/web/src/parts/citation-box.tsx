import type { Description } from '@esd/record/metadata/description';
import { citationText } from '@esd/record/metadata/formats/text';

interface Props {
  title: string;
  about: Description;
  /** The address of the metadata, to which a format is added. */
  metadata: string;
  note?: string;
}

const FORMATS = [
  ['bibtex', 'BibTeX'],
  ['ris', 'RIS'],
  ['csl-json', 'CSL-JSON'],
] as const;

/** How to cite, as text and for reference managers. */
export function CitationBox({ title, about, metadata, note }: Props) {
  return (
    <section class="cite" aria-labelledby="cite">
      <h2 id="cite">{title}</h2>
      <p id="citation">{citationText(about).trim()}</p>
      <p class="row small">
        <button type="button" class="button primary needs-script" data-copy="citation">
          Copy citation
        </button>
        {FORMATS.map(([format, name]) => (
          <a class="button" href={`${metadata}?format=${format}`}>
            {name}
          </a>
        ))}
      </p>
      {note !== undefined && <p class="small muted">{note}</p>}
    </section>
  );
}
