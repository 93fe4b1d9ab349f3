import type {
  ApiField,
  ApiOperation,
  ApiParameter,
  ApiResponse,
  ApiStructure,
  ApiValue,
  DocsGroupPage,
  TryIt,
  TypePart,
} from '@esd/pages/api-docs';
import type { Frame } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { countText } from '../format.ts';
import { CodeText } from '../parts/code-text.tsx';
import { LinkButton } from '../parts/buttons.tsx';
import { OperationList } from './docs-page.tsx';

/** Fields of a list that is open at first. */
const MAX_OPEN_FIELDS = 15;

/** `/docs/{group}`: the operations of a group in full. */
export function DocsGroup({ page, frame }: { page: DocsGroupPage; frame: Frame }) {
  const { base } = frame;
  const { name, about, operations, structures, groups } = page;
  return (
    <Document
      frame={frame}
      title={`${name} · API`}
      summary={`API documentation: ${about}`}
      section="docs"
      script="docs"
    >
      <div class="wrap docs">
        <nav aria-label="Groups of operations" class="groups small">
          <a href={`${base}/docs`}>All operations</a>
          {groups.map((group) => (
            <a
              key={group.slug}
              href={`${base}/docs/${group.slug}`}
              aria-current={group.name === name ? 'page' : undefined}
            >
              {group.name}
            </a>
          ))}
        </nav>
        <h1>{name}</h1>
        <p class="lede">{about}</p>
        <OperationList operations={operations} group="" />
        {operations.map((operation) => (
          <Operation key={operation.id} operation={operation} base={base} />
        ))}
        {structures.length > 0 && (
          <section class="operation" aria-labelledby="structures">
            <h2 id="structures">Structures</h2>
            {structures.map((structure) => (
              <Structure key={structure.name} structure={structure} />
            ))}
          </section>
        )}
      </div>
    </Document>
  );
}

function Operation({ operation, base }: { operation: ApiOperation; base: string }) {
  const { id, method, path, summary, details, callers, limit, parameters, body, responses, errors, tryIt } = operation;
  return (
    <section class="operation" aria-labelledby={id}>
      <h2 id={id}>
        {method} <code>{path}</code>
      </h2>
      <p>
        <b>{summary}.</b> <CodeText text={details} />
      </p>
      <p class="small muted">
        Callers: {callers}.{limit !== undefined && ` Rate limit class: ${limit}.`}
      </p>
      <div class="halves">
        <div>
          {parameters.length > 0 && (
            <>
              <h3>Parameters</h3>
              <FieldList fields={parameters} />
            </>
          )}
          {body && (
            <>
              <h3>Body</h3>
              <p class="small muted">
                {body.mediaType}, {body.isRequired ? 'required' : 'optional'}
              </p>
              <Value value={body.value} />
            </>
          )}
          <h3>Responses</h3>
          {responses.map((response) => (
            <Response key={response.status} response={response} />
          ))}
          <h3>Errors</h3>
          <ul class="small">
            {errors.map(({ status, codes }) => (
              <li key={status}>
                <b>{status}</b> {codes}
              </li>
            ))}
          </ul>
        </div>
        <div>
          <h3>Example</h3>
          <Examples operation={operation} />
          {tryIt && <TryForm id={id} path={path} form={tryIt} base={base} />}
        </div>
      </div>
    </section>
  );
}

function Response({ response: { status, text, mediaTypes, headers, value } }: { response: ApiResponse }) {
  return (
    <div>
      <p>
        <b>{status}</b> <CodeText text={text} />
      </p>
      {mediaTypes.length > 0 && <p class="small muted">{mediaTypes.join(', ')}</p>}
      {value && <Value value={value} />}
      {headers.length > 0 && (
        <details>
          <summary>{countText(headers.length, 'header')}</summary>
          <dl class="fields">
            {headers.map(([name, meaning]) => (
              <div key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>
                  <CodeText text={meaning} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  );
}

function Value({ value: { type, text, fields } }: { value: ApiValue }) {
  return (
    <>
      <p class="small">
        <Type type={type} />
        {text !== '' && (
          <>
            . <CodeText text={text} />
          </>
        )}
      </p>
      {fields.length > 0 && (
        <details open={fields.length <= MAX_OPEN_FIELDS}>
          <summary>{countText(fields.length, 'field')}</summary>
          <FieldList fields={fields} />
        </details>
      )}
    </>
  );
}

function FieldList({ fields }: { fields: readonly (ApiField | ApiParameter)[] }) {
  return (
    <dl class="fields">
      {fields.map((field) => (
        <div key={field.name}>
          <dt>
            <code>{field.name}</code>
          </dt>
          <dd class="muted">
            <Type type={field.type} />
            {'place' in field && `, in the ${field.place}`}
            {field.isRequired && ', required'}
          </dd>
          {field.text !== '' && (
            <dd>
              <CodeText text={field.text} />
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

function Type({ type }: { type: readonly TypePart[] }) {
  return (
    <>
      {type.map(({ text, schema }, at) =>
        schema === undefined ? (
          <CodeText key={at} text={text} />
        ) : (
          <a key={at} href={`#schema-${schema}`}>
            {text}
          </a>
        ),
      )}
    </>
  );
}

function Structure({ structure }: { structure: ApiStructure }) {
  return (
    <details>
      <summary>{structure.name}</summary>
      {/* A link to an element inside of the details opens them. */}
      <div id={`schema-${structure.name}`}>
        <p class="small">
          <CodeText text={structure.text} />
        </p>
        {structure.fields.length > 0 ? <FieldList fields={structure.fields} /> : <Type type={structure.type} />}
      </div>
    </details>
  );
}

/** The example in each language. Radio buttons select the language, so that it works without script. */
function Examples({ operation: { id, examples } }: { operation: ApiOperation }) {
  return (
    <div class="examples">
      <fieldset class="switch">
        <legend class="hidden-text">Language of the example</legend>
        {examples.map(({ language }, at) => (
          <>
            <input
              type="radio"
              name={`${id}-language`}
              id={`${id}-${language}`}
              value={language}
              autocomplete="off"
              checked={at === 0}
            />
            <label for={`${id}-${language}`}>{language}</label>
          </>
        ))}
      </fieldset>
      {examples.map(({ language, code }) => (
        <div key={language} class={`in-${language}`}>
          <pre tabIndex={0} id={`${id}-${language}-code`} role="group" aria-label={`Example in ${language}`}>
            {code}
          </pre>
          <LinkButton class="small needs-script" data-copy={`${id}-${language}-code`}>
            Copy {language}
          </LinkButton>
        </div>
      ))}
    </div>
  );
}

/** A form that sends the request to its URL. Script shows the response below it, and sends other path parameters and a token. */
function TryForm({ id, path, form, base }: { id: string; path: string; form: TryIt; base: string }) {
  const { action, needsToken, fields } = form;
  return (
    <details class="try">
      <summary>Try it</summary>
      {needsToken && (
        <p class="small without-script">Sending a token requires JavaScript. The example works without it.</p>
      )}
      <form
        method="get"
        action={`${base}${action}`}
        class={needsToken ? 'needs-script' : undefined}
        data-try={`${base}${path}`}
      >
        {fields.map((field) => (
          <TryField key={field.name} id={`${id}-try-${field.name}`} field={field} />
        ))}
        {needsToken && (
          <div class="field">
            <label for={`${id}-token`}>Token</label>
            {/* Without a name, no form sends it in a URL. */}
            <input
              id={`${id}-token`}
              type="password"
              autocomplete="off"
              required
              data-token
              aria-describedby={`${id}-hint`}
            />
            <span class="hint" id={`${id}-hint`}>
              A session token or a personal access token. It stays in the memory of this page.
            </span>
          </div>
        )}
        <button class="button primary" type="submit">
          Send
        </button>
      </form>
    </details>
  );
}

/** Without script, a form would send an empty field, which the service rejects. Script enables the fields without an example. */
function TryField({ id, field }: { id: string; field: TryIt['fields'][number] }) {
  const { name, place, isRequired, value, options } = field;
  const needsScript = place === 'path' || value === undefined;
  const common = {
    id,
    disabled: needsScript,
    required: isRequired,
    ...(place === 'path' ? { 'data-path': name } : { name }),
  };
  return (
    <div class={needsScript ? 'field needs-script' : 'field'}>
      <label for={id}>
        <code>{name}</code>
      </label>
      {options === undefined ? (
        <input {...common} value={value} autocomplete="off" spellcheck={false} />
      ) : (
        <select {...common}>
          {!isRequired && <option value="">not sent</option>}
          {options.map((option) => (
            <option key={option} value={option} selected={option === value}>
              {option}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
