import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const TAIL_BYTES = 256 * 1024;
const LINES = 8;
const LINE_LENGTH = 600;
const WARN = 40;
// PostgreSQL, NATS and the object store each have their own log format.
const SERVER_WARNING = /\b(WARNING|ERROR|FATAL|PANIC)\b|\[(WRN|ERR|FTL)\]|^[WEF]\d{4} /;

/** Returns the last warnings and errors of each log in a folder, for the error message of a stack that did not start. */
export async function logWarnings(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => []);
  const parts = await Promise.all(
    names.sort().map(async (name) => {
      const lines = (await endOf(join(folder, name))).split('\n').filter(isWarning).slice(-LINES);
      return lines.length === 0 ? [] : [`${name}:`, ...lines.map((line) => `    ${line.slice(0, LINE_LENGTH)}`)];
    }),
  );
  const report = parts.flat();
  return report.length === 0 ? `No warnings or errors in the logs (${names.join(', ')}).` : report.join('\n');
}

function isWarning(line: string): boolean {
  const level = /^\{"level":(\d+),/.exec(line)?.[1];
  // Lines from before the logger exists, or from a crash, have no level.
  return level === undefined ? SERVER_WARNING.test(line) || /Error\b/.test(line) : Number(level) >= WARN;
}

async function endOf(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const buffer = Buffer.alloc(size - start);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
