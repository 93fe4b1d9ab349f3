const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Whether the arrays and objects of a JSON text (UTF-8) lie at most `limit` deep, read from the bytes alone, so that a
 * deep text costs no stack. 'cut off': the text ends inside a string, an array or an object. Says nothing else about
 * the text; whoever parses it finds the rest.
 */
export function scanJsonDepth(bytes: Uint8Array, limit: number): 'fits' | 'too deep' | 'cut off' {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at + 1);
        if (at === bytes.length) return 'cut off';
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        depth += 1;
        if (depth > limit) return 'too deep';
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth -= 1;
        break;
      default:
    }
  }
  return depth > 0 ? 'cut off' : 'fits';
}

/** Index of the quote that ends the string whose text starts at `at`, or the length when there is none. */
function endOfString(bytes: Uint8Array, at: number): number {
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  return bytes.length;
}
