/** What runs in a thread of `openParseWorkers`: parses the files that it is told to, one after the other. */
import { parentPort } from 'node:worker_threads';
import { indexReferences, type ReferenceLists, type References } from '@esd/record/reference';
import { parseFile } from './parse-file.ts';

/** A file to parse. */
export interface ParseJob {
  path: string;
  /** Absent: those of the last job. */
  lists: ReferenceLists | undefined;
}

const port = parentPort;
if (!port) throw new Error('parse-worker.ts runs in a thread');
let references: References | undefined;

async function run({ path, lists }: ParseJob): Promise<void> {
  if (lists) references = indexReferences(lists);
  if (!references) throw new Error('a first job without reference lists');
  port?.postMessage(await parseFile(path, references));
}

port.on('message', (job: ParseJob) => {
  // What it throws ends the thread, and is told to who started it.
  void run(job);
});
port.postMessage('started');
