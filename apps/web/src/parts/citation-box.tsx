interface Props {
  title: string;
  citation: string;
  /** Other formats of the citation, by name. */
  formats: readonly { name: string; address: string }[];
  note?: string;
}

/** How to cite, as text and for reference managers. */
export function CitationBox({ title, citation, formats, note }: Props) {
  return (
    <section class="cite" aria-labelledby="cite">
      <h2 id="cite">{title}</h2>
      <p>{citation}</p>
      {formats.length > 0 && (
        <p class="row small">
          {formats.map(({ name, address }) => (
            <a class="button" href={address}>
              {name}
            </a>
          ))}
        </p>
      )}
      {note !== undefined && <p class="small muted">{note}</p>}
    </section>
  );
}
