import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const PROGRAM = `
import base64, json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
json.dump({name: base64.b64encode(archive.read(name)).decode() for name in archive.namelist()}, sys.stdout)
`;

/** Reads the files of an archive by name, with Python's zipfile. Throws if a checksum is wrong. */
export async function readZip(bytes: Uint8Array): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'esd-zip-'));
  try {
    const path = join(folder, 'archive.zip');
    await writeFile(path, bytes);
    const { stdout } = await promisify(execFile)('python3', ['-c', PROGRAM, path], {
      timeout: 120_000,
      maxBuffer: 64 * 1024 * 1024,
    });
    const files = z.record(z.string(), z.base64()).parse(JSON.parse(stdout));
    return new Map(Object.entries(files).map(([name, base64]) => [name, Buffer.from(base64, 'base64')]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
