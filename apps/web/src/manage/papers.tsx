import { useSignal } from '@preact/signals';
import { RequestError } from '../client/request.ts';
import { call, problemsOf } from '../client/call.ts';
import { countText, dateText } from '../format.ts';
import { PaperLink } from '../parts/paper-link.tsx';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { useAct } from '../staff/use-act.ts';
import { useRows } from '../staff/use-rows.ts';
import { FilterForm } from './filter-form.tsx';
import { EntryDialog } from './entry-dialog.tsx';
import type { Entry } from './list-fields.ts';
import { authorText } from './paper-form.ts';
import { Rows } from './rows.tsx';
import type { SectionProps } from './section.ts';

const SOURCES = { entered: 'entered', imported: 'imported', resolver: 'found by the resolver' } as const;

/** The list of papers: its entries, an import and an export, and the papers that lack an entry. */
export function Papers({ notify }: SectionProps) {
  const { base, request } = useStaff();
  const filters = useSignal<Readonly<Record<string, string>>>({});
  const list = useRows('papers', filters.value, (send, options) => call(send, 'get', '/metadata/papers', options));
  const lacking = useRows('missing papers', {}, (send, options) =>
    call(send, 'get', '/admin/metadata/papers/missing', options),
  );
  const open = useSignal<Partial<Entry> | undefined>(undefined);
  const { isBusy, failure, run } = useAct();
  const reload = (): void => {
    list.reload();
    lacking.reload();
  };
  const importFile = async (file: File): Promise<void> => {
    const { body } = await call(request, 'post', '/metadata/papers/import', { json: parsed(await file.text()) });
    const { created, updated, unchanged } = body;
    notify(`${file.name}: ${countText(created, 'paper')} added, ${updated} replaced, ${unchanged} unchanged.`);
    reload();
  };
  return (
    <section aria-labelledby="papers">
      <div class="row spread">
        <h2 id="papers">Papers</h2>
        <button type="button" class="button" onClick={() => (open.value = {})}>
          Add a paper
        </button>
      </div>
      <p>
        The titles, authors, years and journals of the papers that records name. Pages and citations use the newest
        entry. Filters and files of a release use the entries at its date.
      </p>
      <p class="row">
        <label class="button">
          Import CSL-JSON
          <input
            class="hidden-text"
            type="file"
            accept=".json,application/json,application/vnd.citationstyles.csl+json"
            disabled={isBusy.value}
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              currentTarget.value = '';
              if (file) void run(() => importFile(file));
            }}
          />
        </label>
        <a class="button" href={`${base}/metadata/papers?format=csl-json`} download="papers.csl.json">
          Export CSL-JSON
        </a>
      </p>
      <Failure error={failure.value} />
      {problemsOf(failure.value).length > 0 && (
        <ul class="small">
          {problemsOf(failure.value)
            .slice(0, 20)
            .map(({ path, message }) => (
              <li key={path}>
                <code>{path}</code>: {message}
              </li>
            ))}
        </ul>
      )}
      <FilterForm
        fields={[{ name: 'query', label: 'Title, author, journal, or DOI' }]}
        onFilter={(values) => (filters.value = values)}
      />
      <Rows
        labelledBy="papers"
        heads={['Paper', 'Title', 'Authors', 'Year', 'Journal', 'Source', 'Actions']}
        none={(filters.value['query'] ?? '') === '' ? 'The list is empty.' : 'No paper matches.'}
        shown={list.value?.data.length}
        total={list.value?.total ?? 0}
        {...list}
      >
        {list.value?.data.map((paper) => (
          <tr key={paper.id}>
            <th scope="row">
              <PaperLink doi={paper.doi} />
            </th>
            <td>{paper.title}</td>
            <td>{paper.authors.map(authorText).join('; ')}</td>
            <td>{paper.year}</td>
            <td>{paper.journal}</td>
            <td>
              {SOURCES[paper.source]}, {dateText(paper.updatedAt)}
            </td>
            <td>
              <button
                type="button"
                class="link"
                aria-label={`Edit ${paper.title}`}
                onClick={() => (open.value = { ...paper, authors: paper.authors.map(authorText) })}
              >
                Edit
              </button>
            </td>
          </tr>
        ))}
      </Rows>
      <h3 id="missing-papers">Papers without an entry</h3>
      <Rows
        labelledBy="missing-papers"
        heads={['Paper', 'Records', 'Resolver', 'Actions']}
        none="Every paper of the latest dataset has an entry."
        shown={lacking.value?.data.length}
        total={lacking.value?.total ?? 0}
        {...lacking}
      >
        {lacking.value?.data.map(({ doi, records, attempts, problem, nextAt }) => (
          <tr key={doi}>
            <th scope="row">
              <PaperLink doi={doi} />
            </th>
            <td class="number">{records}</td>
            <td>
              {attempts === 0 ? (
                <span class="muted">not requested</span>
              ) : (
                <>
                  {problem} {countText(attempts, 'lookup')}
                  {nextAt === undefined ? '.' : `; the next one is on ${dateText(nextAt)}.`}
                </>
              )}
            </td>
            <td>
              <button type="button" class="link" aria-label={`Add ${doi}`} onClick={() => (open.value = { doi })}>
                Add
              </button>
            </td>
          </tr>
        ))}
      </Rows>
      {open.value && (
        <EntryDialog
          list="papers"
          entry={open.value}
          reload={reload}
          onClose={() => (open.value = undefined)}
          onDone={(text) => {
            notify(text);
            open.value = undefined;
            reload();
          }}
        />
      )}
    </section>
  );
}

/** Parses the text of a file. Throws a RequestError for text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(400, { message: 'The file is not JSON. Choose a CSL-JSON file.' });
  }
}
