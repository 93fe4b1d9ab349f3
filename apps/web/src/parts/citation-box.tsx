import type { Description } from '@esd/record/metadata/description';
import { bibtex } from '@esd/record/metadata/formats/bibtex';
import { cslJson } from '@esd/record/metadata/formats/csl-json';
import { ris } from '@esd/record/metadata/formats/ris';
import { citationText } from '@esd/record/metadata/formats/text';
import { PapersFiles } from './papers-files.tsx';
import { Button } from './buttons.tsx';

interface Props {
  /** Without it, the box has no heading. */
  title?: string;
  about: Description;
  /** The URL of the metadata, without the `format` parameter. */
  metadata: string;
  /** The URL of the list of papers, to cite them too. */
  papers?: string;
  note?: string;
}

const FORMATS = [
  ['text', 'APA', citationText],
  ['bibtex', 'BibTeX', bibtex],
  ['ris', 'RIS', ris],
  ['csl-json', 'CSL-JSON', cslJson],
] as const;

/** The citation as text and for reference managers. Radio buttons select the format, so that it works without script. */
export function CitationBox({ title, about, metadata, papers, note }: Props) {
  return (
    <section class="cite" aria-label={title === undefined ? 'Citation' : undefined} aria-labelledby={title && 'cite'}>
      {title !== undefined && <h2 id="cite">{title}</h2>}
      <fieldset class="switch">
        <legend class="hidden-text">Citation format</legend>
        {FORMATS.map(([format, name], at) => (
          <>
            <input type="radio" name="cite-as" id={`cite-as-${format}`} autocomplete="off" checked={at === 0} />
            <label for={`cite-as-${format}`}>{name}</label>
          </>
        ))}
      </fieldset>
      {FORMATS.map(([format, name, write]) => (
        <div key={format} class={`cite-${format}`}>
          {format === 'text' ? (
            <p id="citation">{write(about).trim()}</p>
          ) : (
            <pre tabIndex={0} id={`citation-${format}`} role="group" aria-label={`Citation as ${name}`}>
              {write(about).trim()}
            </pre>
          )}
          <p class="row small">
            <Button class="primary needs-script" data-copy={format === 'text' ? 'citation' : `citation-${format}`}>
              {format === 'text' ? 'Copy citation' : `Copy ${name}`}
            </Button>
            {format !== 'text' && (
              <a class="button" href={`${metadata}?format=${format}`} download>
                Download {name}
              </a>
            )}
          </p>
        </div>
      ))}
      {note !== undefined && <p class="small muted">{note}</p>}
      {papers !== undefined && (
        <p>
          <PapersFiles address={papers} />
        </p>
      )}
    </section>
  );
}
