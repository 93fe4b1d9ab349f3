import { useSignal } from '@preact/signals';
import { fieldText } from '../../client/form.ts';
import { account } from '../../client/session.ts';
import { moveFocus } from '../../client/move-focus.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import { pastedText, pasteInto } from '../../contribute/pasted-text.ts';
import type { OpenWorkbook } from '../../contribute/sheet.ts';
import { Button, LinkButton } from '../../parts/buttons.tsx';
import { onSubmit } from '../../client/events.ts';
import { useSheetReader } from './use-sheet-reader.ts';

export function SheetSource({ contribution, base }: { contribution: Contribution; base: string }) {
  const { sheet, workbook } = contribution;
  const isPasting = useSignal(false);
  const { isReading, failure, takePasted, takeFile, signIn } = useSheetReader(contribution, () => {
    isPasting.value = false;
    moveFocus('sheet');
  });
  return (
    <>
      <div class="bar apart">
        <h2 id="sheet">Sheet{sheet.value ? `: ${sheet.value.name}` : ''}</h2>
        <div class="bar">
          <label class="button upload">
            {isReading.value ? 'Reading…' : sheet.value ? 'Upload another' : 'Upload a sheet'}
            <input
              type="file"
              aria-describedby="sheet-hint"
              accept=".csv,.tsv,.txt,.xlsx,text/csv"
              onChange={({ currentTarget }) => {
                const [file] = currentTarget.files ?? [];
                currentTarget.value = '';
                if (file) void takeFile(file);
              }}
            />
          </label>
          {sheet.value && (
            <Button aria-expanded={isPasting.value} onClick={() => (isPasting.value = !isPasting.value)}>
              Paste cells
            </Button>
          )}
          <a class="button" href={`${base}/data/template.xlsx?headings=plain`}>
            Template
          </a>
        </div>
      </div>
      <p class="small muted" id="sheet-hint">
        Headings, units, and ranges are read as laboratories write them.
        {!account.value && ' A workbook (.xlsx) requires an account; text files (.csv, .tsv) and pasted cells do not.'}
      </p>
      {workbook.value && workbook.value.sheets.length > 1 && (
        <SheetChoice
          workbook={workbook.value}
          isReading={isReading.value}
          onChoose={(file, name) => void takeFile(file, name)}
        />
      )}
      {failure.value !== undefined && (
        <p class="note bad" role="alert">
          {typeof failure.value === 'object' ? (
            <>
              Reading {failure.value.file.name} requires an account. Your input is preserved.{' '}
              <LinkButton onClick={() => void signIn()}>Sign in</LinkButton>, paste the cells of your spreadsheet here,
              or upload it as CSV.
            </>
          ) : (
            failure.value
          )}
        </p>
      )}
      {(sheet.value === undefined || isPasting.value) && <PasteForm onText={takePasted} />}
    </>
  );
}

/** Offers the other sheets of a workbook. */
function SheetChoice({
  workbook: { file, sheets, shown },
  isReading,
  onChoose,
}: {
  workbook: OpenWorkbook;
  isReading: boolean;
  onChoose: (file: File, name: string) => void;
}) {
  return (
    <form
      class="bar"
      onSubmit={onSubmit((data) => {
        if (!isReading) onChoose(file, fieldText(data, 'sheet'));
      })}
    >
      <label for="workbook-sheet">Sheet of {file.name}</label>
      <select id="workbook-sheet" name="sheet" autocomplete="off">
        {sheets.map((name) => (
          <option key={name} value={name} selected={name === shown}>
            {name}
          </option>
        ))}
      </select>
      <button type="submit" class="button" aria-disabled={isReading}>
        Read this sheet
      </button>
    </form>
  );
}

function PasteForm({ onText }: { onText: (text: string) => void }) {
  return (
    <form
      class="field paste"
      onSubmit={onSubmit((data) => {
        const text = fieldText(data, 'cells');
        if (text.trim() !== '') onText(text);
      })}
    >
      <label for="cells">Paste cells</label>
      <p class="hint" id="cells-hint">
        Include a row of headings, for example Polymer, Solvent, Concentration (wt%), Voltage (kV).
      </p>
      <textarea
        id="cells"
        name="cells"
        rows={4}
        spellcheck={false}
        aria-describedby="cells-hint"
        onPaste={(event) => {
          const text = pastedText(event.clipboardData);
          // A pasted table is read immediately.
          if (!/\n./.test(text)) return pasteInto(event.currentTarget, event);
          event.preventDefault();
          onText(text);
        }}
      />
      <p>
        <button type="submit" class="button">
          Read the cells
        </button>
      </p>
    </form>
  );
}
