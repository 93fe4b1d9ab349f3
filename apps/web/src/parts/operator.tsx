import type { DatasetFacts, OperatorFacts, TextSection } from '@esd/record/metadata/dataset-facts';

/** The operator of the installation. If none is named, the publisher and the contact of the dataset take its place. */
export function Operator({ operator: { operator }, facts }: { operator: OperatorFacts; facts: DatasetFacts }) {
  const { publisher, contact } = facts;
  if (operator) {
    const { name, address, email } = operator;
    return (
      <address>
        <b>{name}</b>
        {address !== undefined && <span class="lines">{address}</span>}
        {email !== undefined && <a href={`mailto:${email}`}>{email}</a>}
      </address>
    );
  }
  return (
    <address>
      <b>{publisher.url === undefined ? publisher.name : <a href={publisher.url}>{publisher.name}</a>}</b>
      {contact !== undefined && <a href={contact}>{contact.replace(/^mailto:/, '')}</a>}
    </address>
  );
}

/** The sections that the operator added to a page. */
export function OperatorSections({ sections }: { sections: readonly TextSection[] }) {
  return (
    <>
      {sections.map(({ heading, paragraphs }, at) => (
        <section key={at} aria-labelledby={`operator-${at}`}>
          <h2 id={`operator-${at}`}>{heading}</h2>
          {paragraphs.map((text) => (
            <p key={text} class="prose lines">
              {text}
            </p>
          ))}
        </section>
      ))}
    </>
  );
}
