import { columnIndex } from '@esd/record/sheet/sheet-grid';
import type { Workbook } from './open-workbook.ts';
import { allOf, relationships } from './package-parts.ts';
import { richText } from './rich-text.ts';

// Far beyond a workbook with 1,000 records.
const MAX_COMMENTS = 50_000;
const MAX_COMMENT_LENGTH = 200;

const CELL = /^(?<letters>[A-Z]{1,3})(?<row>\d{1,7})$/;

/** The beginnings of the comments of a sheet, by row and column. */
export type SheetComments = ReadonlyMap<number, ReadonlyMap<number, string>>;

/**
 * Reads the comments of a sheet. A threaded comment with its replies replaces the comment that older programs show in
 * its place.
 */
export async function readComments(workbook: Workbook, sheet: string): Promise<SheetComments> {
  const texts = new Map<string, string>();
  const bound = { max: MAX_COMMENTS, name: 'comments' };
  const related = await relationships(workbook, sheet);
  for (const [type, element] of [
    ['comments', 'comment'],
    ['threadedComment', 'threadedComment'],
  ] as const) {
    // A threaded comment has its text in one element.
    const inner = (name: string): string => (name === 'text' && element === 'threadedComment' ? 't' : name);
    const seen = new Set<string>();
    for (const { target } of related.filter((relationship) => relationship.type === type)) {
      if (!workbook.has(target)) continue;
      const comments = await allOf<{ cell: string; text: string }>(workbook, target, bound, (emit) => {
        let cell = '';
        const text = richText();
        return {
          open: (name, attributes) => {
            if (name === element) cell = attributes['ref'] ?? '';
            text.open(inner(name), attributes);
          },
          text: text.text,
          close: (name) => {
            text.close(inner(name));
            if (name !== element) return;
            const taken = text.take();
            emit({ cell, text: typeof taken === 'string' ? taken : taken.inPlain });
          },
        };
      });
      for (const { cell, text } of comments) {
        const before = seen.has(cell) ? `${texts.get(cell) ?? ''} ` : '';
        seen.add(cell);
        texts.set(cell, `${before}${text.slice(0, 2 * MAX_COMMENT_LENGTH)}`.replace(/\s+/g, ' ').trim());
      }
    }
  }
  const rows = new Map<number, Map<number, string>>();
  for (const [cell, text] of texts) {
    const { letters = '', row = '' } = CELL.exec(cell)?.groups ?? {};
    if (letters === '' || text === '') continue;
    const columns = rows.get(Number(row)) ?? new Map<number, string>();
    rows.set(Number(row), columns.set(columnIndex(letters), text.slice(0, MAX_COMMENT_LENGTH)));
  }
  return rows;
}
