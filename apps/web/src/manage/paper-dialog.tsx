import { useSignal } from '@preact/signals';
import { fieldText } from '../client/form.ts';
import { problemsOf } from '../client/call.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { useAct } from '../staff/use-act.ts';
import { EntryField } from './entry-dialog.tsx';
import type { ListField } from './list-fields.ts';
import { authorText, type Paper, readAuthor } from './paper-form.ts';

const FIELDS: readonly (ListField & { member: keyof Paper })[] = [
  { member: 'doi', label: 'DOI', hint: 'In any spelling, or the text that records have instead.', isRequired: true },
  { member: 'title', label: 'Title', isRequired: true },
  {
    member: 'authors',
    label: 'Authors',
    hint: 'One per line: Family, Given (ORCID). Put the name of a group in quotation marks.',
    kind: 'texts',
  },
  { member: 'year', label: 'Year', kind: 'number' },
  { member: 'journal', label: 'Journal' },
  { member: 'publisher', label: 'Publisher' },
  { member: 'url', label: 'URL' },
];

interface Props {
  /** A new paper has no id. */
  paper: Partial<Paper>;
  onClose: () => void;
  onDone: (text: string) => void;
}

export function PaperDialog({ paper, onClose, onDone }: Props) {
  const { request } = useStaff();
  const { isBusy, failure, run } = useAct();
  const isDeleting = useSignal(false);
  const { id, title = '' } = paper;
  const save = async (data: FormData): Promise<void> => {
    const json = bodyOf(data);
    if (id === undefined) await request('/metadata/papers', { method: 'POST', json });
    else await request(`/metadata/papers/${id}`, { method: 'PUT', json });
    onDone(id === undefined ? 'The paper was added.' : `The paper “${title}” was changed.`);
  };
  if (isDeleting.value && id !== undefined) {
    return (
      <ConfirmDialog
        title="Delete this entry?"
        confirmLabel="Delete the entry"
        cancelLabel="Keep it"
        onClose={onClose}
        onAct={async () => {
          await request(`/metadata/papers/${id}`, { method: 'DELETE' });
          onDone(`The entry “${title}” was deleted.`);
        }}
      >
        <p>Records of the paper “{title}” remain, but lose its title, year, and journal.</p>
      </ConfirmDialog>
    );
  }
  const problems = problemsOf(failure.value);
  const errorOf = (member: string): string | undefined => {
    const own = problems.filter(({ path }) => path === member || path.startsWith(`${member}[`));
    return own.length === 0 ? undefined : own.map(({ message }) => message).join(' ');
  };
  return (
    <Dialog title={id === undefined ? 'Add a paper' : 'Edit the paper'} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          void run(() => save(data));
        }}
      >
        {FIELDS.map((field) => (
          <EntryField
            key={field.member}
            field={field}
            value={textOf(paper, field.member)}
            error={errorOf(field.member)}
          />
        ))}
        <Failure error={failure.value} />
        <p class="row">
          <button class="button primary" disabled={isBusy.value}>
            {id === undefined ? 'Add the paper' : 'Save the changes'}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          {id !== undefined && (
            <button type="button" class="link" onClick={() => (isDeleting.value = true)}>
              Delete…
            </button>
          )}
        </p>
      </form>
    </Dialog>
  );
}

function textOf(paper: Partial<Paper>, member: keyof Paper): string {
  if (member === 'authors') return (paper.authors ?? []).map(authorText).join('\n');
  return paper[member]?.toString() ?? '';
}

function bodyOf(data: FormData): Readonly<Record<string, unknown>> {
  const members = FIELDS.flatMap(({ member, kind }): [string, unknown][] => {
    const text = fieldText(data, member).trim();
    if (member === 'authors') {
      const lines = text.split('\n').map((line) => line.trim());
      return [[member, lines.filter((line) => line !== '').map(readAuthor)]];
    }
    if (text === '') return [];
    // The service reports a text that is not a number.
    return [[member, kind === 'number' && Number.isFinite(Number(text)) ? Number(text) : text]];
  });
  return Object.fromEntries(members);
}
