import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { licenseOf } from '@esd/record/metadata/description';
import { z } from 'zod';

const { resolve } = createRequire(import.meta.url);
const entry = z.object({ name: z.string(), licenseText: z.string() });

/** Returns the text of a license from the SPDX list. Returns only name and URL of any other license. */
export async function licenseText(license: string): Promise<string> {
  const { spdx, url } = licenseOf({ license });
  const address = url === undefined || url === license ? '' : `\n${url}`;
  const known = spdx === undefined ? undefined : await entryOf(spdx);
  return known === undefined
    ? `${license}${address}\n`
    : `${known.name} (${license})${address}\n\n${known.licenseText.trim()}\n`;
}

async function entryOf(spdx: string): Promise<z.output<typeof entry> | undefined> {
  let path: string;
  try {
    path = resolve(`spdx-license-list/licenses/${spdx}.json`);
  } catch {
    return undefined;
  }
  return entry.parse(JSON.parse(await readFile(path, 'utf8')));
}
