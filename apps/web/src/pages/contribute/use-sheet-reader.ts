import { useSignal } from '@preact/signals';
import { UnreadableSheet } from '@esd/record/sheet/unreadable-sheet';
import { RequestError } from '../../client/request.ts';
import { problemText } from '../../client/form.ts';
import { account } from '../../client/session.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import { headingChoices } from '../../contribute/heading-choices.ts';
import { openSheet, readPasted, readTextFile, readWorkbook } from '../../contribute/open-sheet.ts';
import type { OpenWorkbook, Sheet, SheetSource } from '../../contribute/sheet.ts';
import { call } from '../../client/call.ts';

const UPLOAD_MS = 120_000;
const MAX_MEGABYTES = 20;
const PASTED = 'pasted cells';

/** A workbook of a user without an account; only signed-in users can upload workbooks. */
interface RefusedWorkbook {
  readonly file: File;
}

/** Reads a sheet from text or a file into the contribution, and then calls `onRead`. */
export function useSheetReader(contribution: Contribution, onRead: () => void) {
  const { sheet, workbook, referenceData } = contribution;
  const isReading = useSignal(false);
  /** A sentence, or the workbook that requires an account. */
  const failure = useSignal<string | RefusedWorkbook | undefined>(undefined);
  const show = (opened: Sheet): void => {
    failure.value = undefined;
    contribution.change(() => (sheet.value = opened));
    onRead();
  };
  /** Shows a sheet, and returns whether it can be read; `read` throws UnreadableSheet. */
  const take = (read: () => SheetSource | undefined, name: string): boolean => {
    const { value } = referenceData;
    if (value === undefined) {
      failure.value = 'The reference lists are still loading. Try again in a moment.';
      return false;
    }
    try {
      const source = read();
      const opened = source && openSheet(source, value.references, headingChoices(), value.percentiles);
      if (typeof opened === 'object') show(opened);
      else failure.value = opened ?? `${name} is neither a workbook (.xlsx) nor text. Save it as one of them.`;
      return typeof opened === 'object';
    } catch (error) {
      if (!(error instanceof UnreadableSheet)) throw error;
      failure.value = `${name} cannot be read: ${error.message}`;
      return false;
    }
  };
  const takeText = (read: () => SheetSource | undefined, name: string): void => {
    if (take(read, name)) workbook.value = undefined;
  };
  const takePasted = (text: string): void => takeText(() => readPasted(text, PASTED), PASTED);
  /** Stores the shown sheet with its corrections, if it is of this file. */
  const workbookOf = (file: File): OpenWorkbook | undefined => {
    const before = workbook.value?.file === file ? workbook.value : undefined;
    if (before?.shown === undefined) return before;
    const others = new Map(before.others);
    if (sheet.value) others.set(before.shown, sheet.value);
    else others.delete(before.shown);
    return { ...before, others };
  };
  /** Reads the first sheet of a workbook that has headings, or the sheet with a name. */
  const takeWorkbook = async (file: File, name?: string): Promise<void> => {
    const open = workbookOf(file);
    const previous = name === undefined ? undefined : open?.others.get(name);
    if (open && previous) {
      show(previous);
      workbook.value = { ...open, shown: name };
      return;
    }
    const form = new FormData();
    form.append('file', file);
    const query = new URLSearchParams({ cells: 'values', ...(name !== undefined && { sheet: name }) }).toString();
    const options = { query, form, deadlineMs: UPLOAD_MS, isRepeatable: true } as const;
    const { body } = await call(contribution.send, 'post', '/data/parse-excel', options);
    if (!('merged' in body)) throw new Error('The response has no cells.');
    const source = readWorkbook(body, file.name);
    const { sheet: read, sheets } = source.file;
    // The user can change cells while the file is read.
    const before = workbookOf(file) ?? { file, sheets, shown: undefined, others: new Map() };
    const isShown = take(() => source, source.name);
    workbook.value = isShown ? { ...before, shown: read ?? undefined } : before;
  };
  /** Reads a file, or another sheet of a workbook. */
  const takeFile = async (file: File, name?: string): Promise<void> => {
    const megabytes = file.size / (1024 * 1024);
    if (megabytes > MAX_MEGABYTES) {
      failure.value = `${file.name} has ${Math.ceil(megabytes)} MB; the limit is ${MAX_MEGABYTES} MB. Split the file.`;
      return;
    }
    isReading.value = true;
    failure.value = undefined;
    try {
      if (!(await isWorkbook(file))) {
        const bytes = new Uint8Array(await file.arrayBuffer());
        takeText(() => readTextFile(bytes, file.name), file.name);
      } else if (account.value) await takeWorkbook(file, name);
      else failure.value = { file };
    } catch (error) {
      failure.value = `${file.name}: ${problemText(error)}`;
    } finally {
      isReading.value = false;
    }
  };
  /** Signs in, and then reads the refused workbook. */
  const signIn = async (): Promise<void> => {
    const { value: refused } = failure;
    try {
      await contribution.signIn();
      if (typeof refused === 'object') await takeFile(refused.file);
    } catch (error) {
      // A user who closes the dialog stays signed out.
      if (!(error instanceof RequestError)) throw error;
    }
  };
  return { isReading, failure, takePasted, takeFile, signIn };
}

/** Returns whether a file is a ZIP archive, as workbooks are. */
async function isWorkbook(file: File): Promise<boolean> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return start[0] === 0x50 && start[1] === 0x4b;
}
