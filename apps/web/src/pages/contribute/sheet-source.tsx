import { useSignal } from '@preact/signals';
import { UnreadableSheet } from '@esd/record/sheet/unreadable-sheet';
import { RequestError } from '../../client/ask.ts';
import { problemText } from '../../client/form.ts';
import { account } from '../../client/session.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import { readSheet, type Sheet } from '../../contribute/sheet.ts';
import { readWorkbookRows } from '../../contribute/workbook-rows.ts';

const UPLOAD_MS = 120_000;

/** Where the rows come from: a file, cells of the clipboard, or the template to begin with. */
export function SheetSource({ contribution, base }: { contribution: Contribution; base: string }) {
  const { sheet, knowledge } = contribution;
  const isPasting = useSignal(false);
  const isReading = useSignal(false);
  const failure = useSignal<string | undefined>(undefined);
  const take = (read: Sheet): void => {
    failure.value = undefined;
    if (read.rows.length === 0) {
      failure.value =
        'There are no experiments in it: the first row has the headings, each row below is an experiment.';
      return;
    }
    contribution.change(() => (sheet.value = read));
    isPasting.value = false;
  };
  const takeText = (text: string, name: string): void => {
    const { value } = knowledge;
    if (value === undefined) {
      failure.value = 'The names of the lists are not there yet. Try again in a moment.';
      return;
    }
    try {
      take(readSheet(text, name, value.references));
    } catch (error) {
      if (!(error instanceof UnreadableSheet)) throw error;
      failure.value = `${name} cannot be read: ${error.message}`;
    }
  };
  const takeFile = async (file: File): Promise<void> => {
    isReading.value = true;
    failure.value = undefined;
    try {
      if (await isText(file)) takeText(await file.text(), file.name);
      else if (!account.value) failure.value = 'sign in';
      else {
        const form = new FormData();
        form.append('file', file);
        const body = await contribution.ask('/data/parse-excel?cells=true', {
          method: 'POST',
          form,
          deadlineMs: UPLOAD_MS,
          isRepeatable: true,
        });
        const { value } = knowledge;
        if (value) take(readWorkbookRows(body, file.name, value.references));
      }
    } catch (error) {
      failure.value = `${file.name}: ${problemText(error)}`;
    } finally {
      isReading.value = false;
    }
  };
  const signIn = async (): Promise<void> => {
    try {
      await contribution.signIn();
      failure.value = undefined;
    } catch (error) {
      // Who closes the dialog stays as they are.
      if (!(error instanceof RequestError)) throw error;
    }
  };
  const isShown = sheet.value === undefined || isPasting.value;
  return (
    <>
      <div class="bar apart">
        <h2 id="sheet">Sheet{sheet.value ? `: ${sheet.value.name}` : ''}</h2>
        <div class="bar">
          <label class="button upload">
            {isReading.value ? 'Reading…' : sheet.value ? 'Upload another' : 'Upload a sheet'}
            <input
              type="file"
              accept=".csv,.tsv,.txt,.xlsx,text/csv"
              onChange={({ currentTarget }) => {
                const [file] = currentTarget.files ?? [];
                currentTarget.value = '';
                if (file) void takeFile(file);
              }}
            />
          </label>
          {sheet.value && (
            <button
              type="button"
              class="button"
              aria-expanded={isPasting.value}
              onClick={() => (isPasting.value = !isPasting.value)}
            >
              Paste cells
            </button>
          )}
          <a class="button" href={`${base}/data/template.xlsx`}>
            Template
          </a>
        </div>
      </div>
      {failure.value !== undefined && (
        <p class="note bad" role="alert">
          {failure.value === 'sign in' ? (
            <>
              Reading a workbook needs an account. What you entered is kept.{' '}
              <button type="button" class="link" onClick={() => void signIn()}>
                Sign in
              </button>
              , or copy the cells in your spreadsheet and paste them here, or save it as CSV.
            </>
          ) : (
            failure.value
          )}
        </p>
      )}
      {isShown && (
        <form
          class="field paste"
          onSubmit={(event) => {
            event.preventDefault();
            const text = new FormData(event.currentTarget).get('cells');
            if (typeof text === 'string' && text.trim() !== '') takeText(text, 'pasted cells');
          }}
        >
          <label for="cells">Paste cells</label>
          <p class="hint" id="cells-hint">
            With the headings in the first row, such as Polymer, Solvent, Concentration (wt%), Voltage (kV). The
            headings of the template work too.
          </p>
          <textarea
            id="cells"
            name="cells"
            rows={4}
            spellcheck={false}
            aria-describedby="cells-hint"
            onPaste={(event) => {
              const text = event.clipboardData?.getData('text/plain') ?? '';
              // A whole table needs no further click.
              if (!/\n./.test(text)) return;
              event.preventDefault();
              takeText(text, 'pasted cells');
            }}
          />
          <p>
            <button type="submit" class="button">
              Read the cells
            </button>
          </p>
        </form>
      )}
    </>
  );
}

/** Whether a file is text: archives, which workbooks are, and old workbooks have zeros or begin with PK. */
async function isText(file: File): Promise<boolean> {
  const start = new Uint8Array(await file.slice(0, 4_096).arrayBuffer());
  return !(start[0] === 0x50 && start[1] === 0x4b) && !start.includes(0);
}
