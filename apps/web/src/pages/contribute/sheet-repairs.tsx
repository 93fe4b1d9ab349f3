import type { Signal } from '@preact/signals';
import { shownText } from '@esd/record/sheet/unreadable-cell';
import { repairKey } from '@esd/record/sheet/sheet-options';
import { repairChoices, type RepairKind, type SheetNote } from '@esd/record/sheet/sheet-reading';
import { moveFocus } from '../../client/move-focus.ts';
import { type CheckedSheet, columnAt, rowAt } from '../../contribute/check-sheet.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import {
  type AcceptedReading,
  replacedRows,
  type Sheet,
  withAccepted,
  withoutReplacement,
} from '../../contribute/sheet.ts';
import { countText } from '../../format.ts';
import { LinkButton } from '../../parts/buttons.tsx';
import { headingTitle } from './grid-cells.tsx';
import { noteText, readsText } from './note-text.ts';

const KINDS: Readonly<Record<RepairKind, string>> = {
  mark: 'number with an unclear decimal mark',
  bracket: 'value in brackets',
  range: 'range',
  bound: 'bound',
  footnote: 'footnote',
  power: 'superscript after 10',
  struck: 'struck text',
  word: 'word',
  needle: 'size without a unit',
  'needle-mm': 'size without a unit',
  flag: 'sign',
  'blank-name': 'empty name',
  ditto: 'ditto mark',
};
const KINDS_MANY: Readonly<Partial<Record<RepairKind, string>>> = {
  power: 'superscripts after 10',
  mark: 'numbers with an unclear decimal mark',
  bracket: 'values in brackets',
  needle: 'sizes without a unit',
  'needle-mm': 'sizes without a unit',
};
const CHOICES: Readonly<Record<string, string>> = {
  decimal: 'decimal mark',
  thousands: 'thousands separator',
  variation: 'as variation',
  ignore: 'without the brackets',
  empty: 'leave empty',
  value: 'the value',
  power: 'power of ten',
  base: '10 alone',
  without: 'without the struck part',
  with: 'with the struck part',
  gauge: 'gauge (G)',
  'fill-down': 'the name above',
  above: 'the value above',
};

interface RepairLine extends Omit<AcceptedReading, 'choice'> {
  readonly choice: string | undefined;
  /** The number of its cells. */
  readonly count: number;
  /** The text of one of its cells, which can be empty. */
  readonly example: string;
}

const lettersOf = (path: string): string => path.replace(/\d+$/, '');
const isRepair = (kind: string): kind is RepairKind => Object.hasOwn(repairChoices, kind);

/** Lists the open and the applied repairs in the order of the columns. */
function linesOf(sheet: Sheet, { reading: { repairs, notes }, rows }: CheckedSheet): RepairLine[] {
  const lines = new Map<string, RepairLine>();
  for (const [key, accepted] of sheet.accepted) {
    const read = notes.filter(({ kind, path }) => kind === accepted.kind && columnAt(path) === columnAt(accepted.at));
    if (read.length > 0) lines.set(key, { ...accepted, count: read.length, example: read[0]?.text ?? '' });
  }
  const cells = new Map(rows.map(({ row }) => [row.number, row.cells]));
  for (const { kind, at, cells: names, choices } of repairs) {
    const key = repairKey(kind, at);
    const applied = lines.get(key);
    const first = names[0] ?? '';
    const text = shownText(cells.get(rowAt(first))?.[columnAt(first)] ?? '');
    lines.set(key, {
      kind,
      at,
      choices,
      choice: applied?.choice,
      count: names.length + (applied?.count ?? 0),
      example: text,
    });
  }
  return [...lines.values()].toSorted((a, b) => columnAt(a.at) - columnAt(b.at) || a.kind.localeCompare(b.kind));
}

/** The id of the button that undoes a replacement. */
export const undoId = (at: number): string => `undo-${at}`;
/** The id of the button that replaces the text of a cell. */
export const nearId = ({ column, row, after }: { column: number; row: number; after: string }): string =>
  `near-${column}-${row}-${after}`;

/** Offers the readings of cells that have several, once for each kind and column; lists the replaced texts. */
export function Repairs({
  contribution,
  sheet,
  checked,
  said,
}: {
  contribution: Contribution;
  sheet: Sheet;
  checked: CheckedSheet;
  /** The last change, which is announced. */
  said: Signal<string>;
}) {
  const lines = linesOf(sheet, checked);
  const replaced = sheet.replaced.flatMap((replacement, at) => {
    const rows = replacedRows(sheet, replacement);
    const column = checked.columns.find(({ index }) => index === replacement.column);
    return rows.length === 0 || column === undefined ? [] : [{ replacement, at, rows, title: headingTitle(column) }];
  });
  const put = (line: RepairLine, choice: string | undefined): void => {
    const key = repairKey(line.kind, line.at);
    contribution.change(() => (contribution.sheet.value = withAccepted(sheet, key, line, choice)));
    const how = choice === undefined ? 'as before' : `with “${CHOICES[choice] ?? choice}”`;
    said.value = `${countText(line.count, 'cell')} changed: read ${how}.`;
  };
  return (
    <>
      {lines.length + replaced.length > 0 && (
        <ul class="small repairs" aria-label="Repairs">
          {lines.map((line) => {
            const { kind, at, choices, choice, count, example } = line;
            const column = checked.columns.find((candidate) => candidate.at === at);
            const idOf = (reading: string): string => `repair-${at}-${kind}-${reading}`;
            const what = count === 1 ? `1 ${KINDS[kind]}` : countText(count, KINDS[kind], KINDS_MANY[kind]);
            return (
              <li key={`${at} ${kind}`}>
                <div role="group" aria-label={column ? headingTitle(column) : at}>
                  <b>{column ? headingTitle(column) : at}</b>: {what}
                  {example !== '' && ` (${example})`}. Use:
                  {choices.map((reading, index) => (
                    <span key={reading}>
                      {' '}
                      <LinkButton
                        id={idOf(reading)}
                        aria-pressed={choice === reading}
                        onClick={() => put(line, reading)}
                      >
                        {CHOICES[reading] ?? reading}
                      </LinkButton>
                      {index < choices.length - 1 && ' ·'}
                    </span>
                  ))}
                  {choice !== undefined && (
                    <>
                      {' '}
                      <LinkButton
                        class="undo"
                        onClick={() => {
                          put(line, undefined);
                          moveFocus(idOf(choice));
                        }}
                      >
                        Undo
                      </LinkButton>
                    </>
                  )}
                </div>
              </li>
            );
          })}
          {replaced.map(({ replacement, at, rows, title }) => {
            const { column, before, after } = replacement;
            return (
              <li key={at}>
                <div role="group" aria-label={`${title}, ${before}`}>
                  <b>{title}</b>: read “{before}” as {after} in {countText(rows.length, 'cell')}.{' '}
                  <LinkButton
                    class="undo"
                    id={undoId(at)}
                    onClick={() => {
                      contribution.change(() => (contribution.sheet.value = withoutReplacement(sheet, replacement)));
                      said.value = `${countText(rows.length, 'cell')} changed: read “${before}” as before.`;
                      moveFocus(rows[0] === undefined ? undefined : nearId({ column, row: rows[0], after }));
                    }}
                  >
                    Undo
                  </LinkButton>
                </div>
              </li>
            );
          })}
        </ul>
      )}
      <p class="small muted said" role="status">
        {said.value}
      </p>
    </>
  );
}

const MAX_SHOWN = 100;

/** The beginnings of the lines about headings. */
const OF_HEADINGS: Readonly<Partial<Record<SheetNote['kind'], string>>> = {
  'assumed-unit': 'Read without a stated unit',
  'heading-words': 'Words of headings that were not read',
};

/** Lists the cells that were read as something else than their text, in one line for each kind. */
export function Notes({ sheet, checked: { reading, columns } }: { sheet: Sheet; checked: CheckedSheet }) {
  const kinds = new Map<SheetNote['kind'], SheetNote[]>();
  for (const note of reading.notes) {
    // The chosen readings are listed above.
    if (isRepair(note.kind) && sheet.accepted.has(repairKey(note.kind, lettersOf(note.path)))) continue;
    const sameKind = kinds.get(note.kind);
    if (sameKind) sameKind.push(note);
    else kinds.set(note.kind, [note]);
  }
  const name = (path: string): string => {
    const column = columns.find(({ index }) => index === columnAt(path));
    return `Row ${rowAt(path)}, ${column ? headingTitle(column) : path}`;
  };
  return (
    <>
      {[...kinds].map(([kind, notes]) => (
        <details key={kind} class="small">
          <summary>
            {kind === 'comment'
              ? `${countText(notes.length, 'cell')} with a comment.`
              : OF_HEADINGS[kind] === undefined
                ? notes[0] && noteText(notes[0], ` in ${countText(notes.length, 'cell')}`)
                : `${OF_HEADINGS[kind]}: ${countText(notes.length, 'heading')}.`}{' '}
            <span class="show">Show</span>
          </summary>
          <ul class="findings">
            {notes.slice(0, MAX_SHOWN).map((note) => (
              <li key={note.path}>
                {name(note.path)}: {kind === 'comment' ? note.text : `${note.text} → ${readsText(note)}`}
              </li>
            ))}
          </ul>
          {notes.length > MAX_SHOWN && <p class="muted">Only the first {MAX_SHOWN} are listed.</p>}
        </details>
      ))}
    </>
  );
}
