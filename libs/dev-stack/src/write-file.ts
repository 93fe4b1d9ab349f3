import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file atomically, with mode 0600. After a crash it has either its old or its new content. */
export function writeFileSafely(file: string, content: string): void {
  const draft = `${file}.new`;
  withOpen(draft, 'w', (handle) => {
    writeFileSync(handle, content);
    fsyncSync(handle);
  });
  renameSync(draft, file);
  withOpen(dirname(file), 'r', fsyncSync);
}

function withOpen(path: string, flags: string, work: (handle: number) => void): void {
  const handle = openSync(path, flags, 0o600);
  try {
    work(handle);
  } finally {
    closeSync(handle);
  }
}
