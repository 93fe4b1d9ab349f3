import { posix } from 'node:path';
import type { Workbook } from './open-workbook.ts';
import { unreadableFile } from './unreadable-file.ts';
import { xmlItems } from './xml-items.ts';

const MAX_RELATIONSHIPS = 10_000;

interface Relationship {
  readonly id: string;
  /** The last segment of the type URI, which is the same in the strict and the transitional form. */
  readonly type: string;
  readonly target: string;
}

/** Returns the id of a relationship. The attribute is `r:id`, with an arbitrary prefix. */
export function relationshipId(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1] ?? '';
}

/** Returns the relationships of a part, or of the package for '' (ECMA-376 part 2, 9.3). */
export async function relationships(workbook: Workbook, part: string): Promise<Relationship[]> {
  const folder = posix.dirname(part);
  const file = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  if (!workbook.has(file)) return [];
  return allOf(workbook, file, { max: MAX_RELATIONSHIPS, name: 'relationships' }, (emit) => ({
    open: (name, attributes) => {
      if (name !== 'Relationship') return;
      const target = posix.resolve('/', folder, attributes['Target'] ?? '').slice(1);
      emit({ id: attributes['Id'] ?? '', type: posix.basename(attributes['Type'] ?? ''), target });
    },
  }));
}

/** Returns all items of a part. Throws INVALID_REQUEST beyond their maximum number. */
export async function allOf<Item>(
  workbook: Workbook,
  part: string,
  { max, name }: { max: number; name: string },
  handlersFor: Parameters<typeof xmlItems<Item>>[2],
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of xmlItems(part, await workbook.read(part), handlersFor)) {
    if (items.length === max) throw unreadableFile(`it has more than ${max} ${name}.`);
    items.push(item);
  }
  return items;
}
