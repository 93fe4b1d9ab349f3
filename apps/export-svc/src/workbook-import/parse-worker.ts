/** The thread of `openParseWorkers`, which parses one file per message. */
import { parentPort } from 'node:worker_threads';
import { indexReferences, type ReferenceLists, type References } from '@esd/record/reference/reference';
import type { GuessOptions } from './guess-sheet.ts';
import { parseFile, type ParsedForm } from './parse-file.ts';

export interface ParseJob {
  path: string;
  form: ParsedForm;
  /** The parameters of the form `guess`. */
  options?: GuessOptions;
  /** Absent if unchanged since the previous job. */
  lists: ReferenceLists | undefined;
}

const port = parentPort;
if (!port) throw new Error('parse-worker.ts runs in a thread');
let references: References | undefined;

async function run({ path, form, options, lists }: ParseJob): Promise<void> {
  if (lists) references = indexReferences(lists);
  if (!references) throw new Error('the first job has no reference lists');
  port?.postMessage(await parseFile(path, references, form, options));
}

port.on('message', (job: ParseJob) => {
  // An exception ends the thread and reaches the `error` listener of the parent.
  void run(job);
});
port.postMessage('started');
