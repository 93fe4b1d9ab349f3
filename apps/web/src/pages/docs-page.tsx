import type { ApiLine, DocsPage } from '@esd/pages/api-docs';
import type { Frame } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { countText, numberText } from '../format.ts';
import { CodeText } from '../parts/code-text.tsx';

/** `/docs`: all operations of the API in groups, or those that match a search. */
export function Docs({ page: { search, groups, total, about }, frame }: { page: DocsPage; frame: Frame }) {
  const { base } = frame;
  const matching = groups.reduce((sum, { operations }) => sum + operations.length, 0);
  return (
    <Document
      frame={frame}
      title="API documentation"
      summary={`The ${total} operations of the HTTP API, with parameters, responses, errors, and examples in curl, Python, and JavaScript.`}
      section="docs"
      isHidden={search !== ''}
    >
      <div class="wrap sections docs">
        <h1>API documentation</h1>
        <p class="lede">
          Read, analyze, cite, and submit experiments with your own programs. Reading needs no account.
        </p>
        <form class="search" role="search" action={`${base}/docs`}>
          <label class="hidden-text" for="search">
            Search operations
          </label>
          <input
            id="search"
            name="q"
            type="search"
            value={search}
            maxLength={100}
            placeholder="Word or path, such as export"
            autocomplete="off"
          />
          <button class="button primary" type="submit">
            Search
          </button>
        </form>
        {search !== '' && (
          <p>
            {matching === 0
              ? `No operation matches “${search}”. Try one word, such as filter, or a part of a path.`
              : `${numberText(matching)} of ${countText(total, 'operation')} ${matching === 1 ? 'matches' : 'match'} “${search}”.`}{' '}
            <a href={`${base}/docs`}>Show all operations</a>
          </p>
        )}
        {groups.map(({ slug, name, about: text, operations }) => (
          <section key={slug} aria-labelledby={slug}>
            <h2 id={slug}>
              <a href={`${base}/docs/${slug}`}>{name}</a>
            </h2>
            <p class="small muted">{text}</p>
            <OperationList operations={operations} group={`${base}/docs/${slug}`} />
          </section>
        ))}
        <section aria-labelledby="conventions">
          <h2 id="conventions">Conventions</h2>
          {about.map((paragraph) => (
            <p key={paragraph} class="prose">
              <CodeText text={paragraph} />
            </p>
          ))}
          <p class="small">
            <a href={`${base}/openapi.json`}>OpenAPI 3.1 document</a>
          </p>
        </section>
      </div>
    </Document>
  );
}

/** One line for each operation. `group` is the URL of the page with the operations in full. */
export function OperationList({ operations, group }: { operations: readonly ApiLine[]; group: string }) {
  return (
    <ul class="operations">
      {operations.map(({ id, method, path, summary, callers }) => (
        <li key={id}>
          <a href={`${group}#${id}`}>
            <b>{method}</b> <code>{path}</code>
          </a>
          <span>{summary}</span>
          <span class="muted">{callers}</span>
        </li>
      ))}
    </ul>
  );
}
