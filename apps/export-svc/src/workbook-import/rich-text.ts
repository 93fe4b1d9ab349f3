import { formattedText, joinedText, type TextFormat } from '@esd/record/sheet/formatted-text';
import { unreadableFile } from './unreadable-file.ts';
import { MAX_TEXT_LENGTH, type XmlHandlers } from './xml-items.ts';

/** Appends a piece of text. Limits the total length, because the number of pieces is not limited. */
export function append(whole: string, piece: string): string {
  if (whole.length + piece.length > MAX_TEXT_LENGTH) {
    throw unreadableFile(`a cell has more than ${MAX_TEXT_LENGTH} characters.`);
  }
  return whole + piece;
}

/** A text with runs of its own formatting, in a cell with a plain font and in a cell with a struck font. */
export interface RichText {
  readonly inPlain: string;
  readonly inStruck: string;
}

const PLAIN_TEXT: TextFormat = { isStruck: false, isSuperscript: false };
const STRUCK_TEXT: TextFormat = { isStruck: true, isSuperscript: false };

/** Returns the value of a boolean attribute, which is true by default. */
export const isOn = (value = '1'): boolean => value === '1' || value === 'true';

/** Collects the text of a rich text or string item, which is in all `t` elements except phonetic hints. */
export function richText(): Required<XmlHandlers> & { take: () => string | RichText } {
  let inPlain = '';
  let inStruck = '';
  let run = '';
  let isRich = false;
  /** Whether the font of the cell formats a run, so that the two texts differ. */
  let hasDifference = false;
  /** The own formatting of the run, or that of the cell. */
  let format: TextFormat | undefined;
  let inText = false;
  let hints = 0;
  const endRun = (): void => {
    const text = unescape(run);
    inPlain = append(inPlain, formattedText(text, format ?? PLAIN_TEXT));
    hasDifference ||= format === undefined;
    inStruck = hasDifference ? append(inStruck, formattedText(text, format ?? STRUCK_TEXT)) : inPlain;
    run = '';
    format = undefined;
  };
  return {
    open: (name, attributes) => {
      if (name === 'rPh') hints += 1;
      else if (name === 't') inText = hints === 0;
      else if (name === 'r') isRich = true;
      else if (name === 'rPr') format = PLAIN_TEXT;
      else if (name === 'strike' && format) format = { ...format, isStruck: isOn(attributes['val']) };
      else if (name === 'vertAlign' && format) {
        format = { ...format, isSuperscript: attributes['val'] === 'superscript' };
      }
    },
    text: (text) => {
      if (inText) run = append(run, text);
    },
    close: (name) => {
      if (name === 'rPh') hints -= 1;
      else if (name === 't') inText = false;
      else if (name === 'r') endRun();
    },
    take: () => {
      const text = run;
      if (isRich && run !== '') endRun();
      const whole = joinedText(inPlain);
      const rich = { inPlain: whole, inStruck: hasDifference ? joinedText(inStruck) : whole };
      const isPlain = !isRich;
      inPlain = inStruck = run = '';
      isRich = hasDifference = false;
      return isPlain ? unescape(text) : rich;
    },
  };
}

/** Decodes the escapes of characters that XML excludes, such as `_x000D_` (ECMA-376 part 1, 22.9.2.19). */
export function unescape(text: string): string {
  return text.replace(/_x([0-9A-F]{4})_/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

export const strike = (text: string): string => formattedText(text, STRUCK_TEXT);
