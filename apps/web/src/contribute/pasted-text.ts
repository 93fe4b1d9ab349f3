import { formattedText, joinedText, type TextFormat } from '@esd/record/sheet/formatted-text';

/** HTML that can have superscripts or struck text; all other text is the same without HTML. */
const CAN_BE_FORMATTED = /<(?:sup|s|strike|del)\b|line-through|vertical-align: ?super/i;
const CLASS_RULE = /\.([\w-]+)\s*\{([^{}]*)\}/g;
const STYLE_ELEMENT = /<style[^>]*>([^]*?)<\/style>/gi;
/** The attribute that has the style of an element. */
const STYLE = 'data-style';
const STRUCK_TAGS = ['S', 'STRIKE', 'DEL'];

/**
 * Returns the text of the clipboard. If it also has HTML with superscripts or struck text, these are characters of the
 * text, and the cells of a table have tabs between them.
 */
export function pastedText(clipboard: DataTransfer | null): string {
  const plain = clipboard?.getData('text/plain') ?? '';
  const html = clipboard?.getData('text/html') ?? '';
  if (!CAN_BE_FORMATTED.test(html)) return plain;
  const { body, styles } = parsed(html);
  const rows = [...body.querySelectorAll('tr')];
  if (rows.length > 0) return tableText(rows, styles);
  // The lines of other HTML depend on its layout.
  return /[\t\r\n]/.test(plain.trim()) ? plain : cellText(body, styles);
}

/** Inserts the clipboard into a field if its text differs from the one that the browser would insert. */
export function pasteInto(field: HTMLInputElement | HTMLTextAreaElement, event: ClipboardEvent): void {
  const text = pastedText(event.clipboardData);
  if (text === event.clipboardData?.getData('text/plain')) return;
  event.preventDefault();
  field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? field.value.length, 'end');
}

type ClassStyles = ReadonlyMap<string, string>;

/** The rules of a page's Content-Security-Policy also hold for styles in a parsed text, so they are taken out before. */
function parsed(html: string): { body: HTMLElement; styles: ClassStyles } {
  const styles = new Map<string, string>();
  for (const [, rules = ''] of html.matchAll(STYLE_ELEMENT)) {
    for (const [, name = '', style = ''] of rules.matchAll(CLASS_RULE)) styles.set(name, style);
  }
  const withoutStyles = html.replaceAll(STYLE_ELEMENT, '').replaceAll(/\sstyle=(?=["'])/gi, ` ${STYLE}=`);
  // The scripts and images of such a document are not loaded.
  return { body: new DOMParser().parseFromString(withoutStyles, 'text/html').body, styles };
}

/** Returns lines with tabs. A cell over several columns or rows leaves the others empty. */
function tableText(rows: readonly HTMLTableRowElement[], styles: ClassStyles): string {
  /** The number of further rows that a cell above covers, by column. */
  let covered: number[] = [];
  const lines = rows.map(({ cells }) => {
    const texts: string[] = [];
    const below = covered.map((count) => Math.max(0, count - 1));
    for (const cell of cells) {
      while ((covered[texts.length] ?? 0) > 0) texts.push('');
      const text = cellText(cell, styles);
      for (let span = 0; span < cell.colSpan; span++) {
        below[texts.length] = cell.rowSpan - 1;
        texts.push(span > 0 ? '' : /["\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
      }
    }
    covered = Array.from(below, (count) => count ?? 0);
    return texts.join('\t');
  });
  return lines.join('\n');
}

function cellText(cell: HTMLElement, styles: ClassStyles): string {
  return joinedText(textIn(cell, { isStruck: false, isSuperscript: false }, styles).trim());
}

function textIn(element: Element, around: TextFormat, styles: ClassStyles): string {
  const { tagName, classList } = element;
  if (tagName === 'BR') return '\n';
  const style = [...[...classList].map((name) => styles.get(name)), element.getAttribute(STYLE)].join(';');
  const decoration = /text-decoration[\w-]*\s*:([^;]*)/i.exec(style)?.[1];
  const format = {
    isStruck: STRUCK_TAGS.includes(tagName) || (decoration?.includes('line-through') ?? around.isStruck),
    isSuperscript: around.isSuperscript || tagName === 'SUP' || /vertical-align\s*:\s*super/i.test(style),
  };
  return [...element.childNodes]
    .map((node) => {
      if (node instanceof Element) return textIn(node, format, styles);
      return node instanceof Text ? formattedText(node.data.replace(/\s+/g, ' '), format) : '';
    })
    .join('');
}
