interface Props {
  /** The URL of the metadata, without the `format` parameter. */
  metadata: string;
  formats?: readonly (readonly [format: string, name: string])[];
}

const FORMATS = [
  ['schema-org', 'schema.org'],
  ['datacite-json', 'DataCite JSON'],
  ['datacite-xml', 'DataCite XML'],
] as const;

export function MetadataLinks({ metadata, formats = FORMATS }: Props) {
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
