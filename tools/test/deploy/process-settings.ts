import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '@esd/dev-stack/root';

export interface Setting {
  safeParse(value: unknown): { success: boolean };
}

function isSettings(value: unknown): value is Record<string, Setting> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((one: unknown) => typeof one === 'object' && one !== null && 'safeParse' in one)
  );
}

export async function settingsOf(service: string): Promise<Map<string, Setting>> {
  const file = join(root, 'apps', service, 'src', 'config.ts');
  const exported = Object.values({ ...Object(await import(pathToFileURL(file).href)) } as Record<string, unknown>);
  const found = exported.find(isSettings);
  if (found === undefined) throw new Error(`${file} exports no settings`);
  return new Map(Object.entries(found));
}
