import { useSignal } from '@preact/signals';
import { UnreadableSheet } from '@esd/record/sheet/unreadable-sheet';
import { RequestError } from '../../client/request.ts';
import { problemText } from '../../client/form.ts';
import { account } from '../../client/session.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import { headingChoices } from '../../contribute/heading-choices.ts';
import { openSheet, readPasted, readTextFile, readWorkbook } from '../../contribute/open-sheet.ts';
import type { SheetSource } from '../../contribute/sheet.ts';

const UPLOAD_MS = 120_000;
const MAX_MEGABYTES = 20;

/** The failure of a caller without an account: only signed-in users can upload workbooks. */
export const NEEDS_ACCOUNT = 'needs account';

/** Reads a sheet from text or a file into the contribution, and then calls `onRead`. */
export function useSheetReader(contribution: Contribution, onRead: () => void) {
  const { sheet, referenceData } = contribution;
  const isReading = useSignal(false);
  /** A sentence, or NEEDS_ACCOUNT. */
  const failure = useSignal<string | undefined>(undefined);
  /** Shows a sheet; `read` throws UnreadableSheet. */
  const take = (read: () => SheetSource | undefined, name: string): void => {
    const { value } = referenceData;
    if (value === undefined) {
      failure.value = 'The reference lists are still loading. Try again in a moment.';
      return;
    }
    try {
      const source = read();
      if (source === undefined) {
        failure.value = `${name} is neither a workbook (.xlsx) nor text. Save it as one of them.`;
        return;
      }
      const opened = openSheet(source, value.references, headingChoices());
      if (typeof opened === 'string') {
        failure.value = opened;
        return;
      }
      failure.value = undefined;
      contribution.change(() => (sheet.value = opened));
      onRead();
    } catch (error) {
      if (!(error instanceof UnreadableSheet)) throw error;
      failure.value = `${name} cannot be read: ${error.message}`;
    }
  };
  const takeText = (text: string, name: string): void => take(() => readPasted(text, name), name);
  const takeWorkbook = async (file: File): Promise<void> => {
    const form = new FormData();
    form.append('file', file);
    const body = await contribution.request('/data/parse-excel?cells=values', {
      method: 'POST',
      form,
      deadlineMs: UPLOAD_MS,
      isRepeatable: true,
    });
    take(() => readWorkbook(body, file.name), file.name);
  };
  const takeFile = async (file: File): Promise<void> => {
    if (file.size > MAX_MEGABYTES * 1024 * 1024) {
      failure.value = `${file.name} has more than ${MAX_MEGABYTES} MB. Split the file.`;
      return;
    }
    isReading.value = true;
    failure.value = undefined;
    try {
      if (!(await isWorkbook(file))) {
        const bytes = new Uint8Array(await file.arrayBuffer());
        take(() => readTextFile(bytes, file.name), file.name);
      } else if (account.value) await takeWorkbook(file);
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

/** Returns whether a file is a ZIP archive, as workbooks are. */
async function isWorkbook(file: File): Promise<boolean> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return start[0] === 0x50 && start[1] === 0x4b;
}
