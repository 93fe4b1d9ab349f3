interface Props {
  /** The URL of the metadata, without the `format` parameter. */
  metadata: string;
  formats: readonly (readonly [format: string, name: string])[];
}

export function MetadataLinks({ metadata, formats }: Props) {
  return (
    <section>
      <h2>Metadata</h2>
      <ul class="row small">
        {formats.map(([format, name]) => (
          <li key={format}>
            <a href={`${metadata}?format=${format}`}>{name}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
