import { useSignal } from '@preact/signals';
import { UnreadableSheet } from '@esd/record/sheet/unreadable-sheet';
import { RequestError } from '../../client/request.ts';
import { problemText } from '../../client/form.ts';
import { account } from '../../client/session.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import { readSheet, type Sheet } from '../../contribute/sheet.ts';
import { readWorkbookRows } from '../../contribute/workbook-rows.ts';

const UPLOAD_MS = 120_000;

/** The failure of a caller without an account: only signed-in users can upload workbooks. */
export const NEEDS_ACCOUNT = 'needs account';

/** Reads a sheet from text or a file into the contribution, and then calls `onRead`. */
export function useSheetReader(contribution: Contribution, onRead: () => void) {
  const { sheet, referenceData } = contribution;
  const isReading = useSignal(false);
  /** A sentence, or NEEDS_ACCOUNT. */
  const failure = useSignal<string | undefined>(undefined);
  const take = (read: Sheet): void => {
    failure.value = undefined;
    if (read.rows.length === 0) {
      failure.value =
        'The sheet has no experiments. Put the headings in the first row, and one experiment in each row below.';
      return;
    }
    contribution.change(() => (sheet.value = read));
    onRead();
  };
  const takeText = (text: string, name: string): void => {
    const { value } = referenceData;
    if (value === undefined) {
      failure.value = 'The reference lists are still loading. Try again in a moment.';
      return;
    }
    try {
      take(readSheet(text, name, value.references));
    } catch (error) {
      if (!(error instanceof UnreadableSheet)) throw error;
      failure.value = `${name} cannot be read: ${error.message}`;
    }
  };
  const takeWorkbook = async (file: File): Promise<void> => {
    const form = new FormData();
    form.append('file', file);
    const body = await contribution.request('/data/parse-excel?cells=true', {
      method: 'POST',
      form,
      deadlineMs: UPLOAD_MS,
      isRepeatable: true,
    });
    const { value } = referenceData;
    if (value) take(readWorkbookRows(body, file.name, value.references));
  };
  const takeFile = async (file: File): Promise<void> => {
    isReading.value = true;
    failure.value = undefined;
    try {
      if (await isText(file)) takeText(await file.text(), file.name);
      else if (account.value) await takeWorkbook(file);
      else failure.value = NEEDS_ACCOUNT;
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
      // A user who closes the dialog stays signed out.
      if (!(error instanceof RequestError)) throw error;
    }
  };
  return { isReading, failure, takeText, takeFile, signIn };
}

/** Returns whether a file is text. Workbooks are ZIP archives, which begin with PK; older formats contain zero bytes. */
async function isText(file: File): Promise<boolean> {
  const start = new Uint8Array(await file.slice(0, 4_096).arrayBuffer());
  return !(start[0] === 0x50 && start[1] === 0x4b) && !start.includes(0);
}
