/** Runs in a thread of `openParseWorkers`: parses one file for each message. */
import { parentPort } from 'node:worker_threads';
import { indexReferences, type ReferenceLists, type References } from '@esd/record/reference/reference';
import { parseFile, type ParsedForm } from './parse-file.ts';

/** A file to parse. */
export interface ParseJob {
  path: string;
  form: ParsedForm;
  /** Absent: those of the last job. */
  lists: ReferenceLists | undefined;
}

const port = parentPort;
if (!port) throw new Error('parse-worker.ts runs in a thread');
let references: References | undefined;

async function run({ path, form, lists }: ParseJob): Promise<void> {
  if (lists) references = indexReferences(lists);
  if (!references) throw new Error('a first job without reference lists');
  port?.postMessage(await parseFile(path, references, form));
}

port.on('message', (job: ParseJob) => {
  // What it throws ends the thread and reaches the `error` listener of the thread that started it.
  void run(job);
});
port.postMessage('started');
