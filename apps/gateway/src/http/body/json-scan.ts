import { setImmediate as turn } from 'node:timers/promises';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

// About 2 ms of work; other requests run between two chunks.
const CHUNK_BYTES = 1024 * 1024;

export interface JsonLimits {
  /** Maximum nesting of arrays and objects. */
  levels: number;
  /** Maximum total number of object members and array items. */
  members: number;
}

/** 'cut off': the text ends inside a string, an array or an object. */
export type JsonShape = 'fits' | 'too deep' | 'too many members' | 'cut off';

/**
 * Checks the limits of a JSON text (UTF-8) without parsing it, so that a deep or wide text costs neither stack nor memory.
 * Commas and opening brackets count as members, because each begins at most one. The parser finds other errors.
 */
export async function scanJson(bytes: Uint8Array, limits: JsonLimits): Promise<JsonShape> {
  const state: ScanState = { levels: 0, members: 0, at: 0, isInString: false };
  for (let end = CHUNK_BYTES; state.at < bytes.length; end += CHUNK_BYTES) {
    if (end > CHUNK_BYTES) await turn();
    const found = scanTo(Math.min(end, bytes.length), bytes, limits, state);
    if (found) return found;
  }
  return state.isInString || state.levels > 0 ? 'cut off' : 'fits';
}

interface ScanState {
  levels: number;
  members: number;
  at: number;
  isInString: boolean;
}

function scanTo(
  end: number,
  bytes: Uint8Array,
  limits: JsonLimits,
  state: ScanState,
): 'too deep' | 'too many members' | undefined {
  let { at, levels, members, isInString } = state;
  for (; at < end; at++) {
    const byte = bytes[at];
    if (isInString) {
      if (byte === QUOTE) isInString = false;
      // The escaped character may be in the next chunk.
      else if (byte === BACKSLASH) at += 1;
      continue;
    }
    switch (byte) {
      case QUOTE:
        isInString = true;
        break;
      case COMMA:
        members += 1;
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        members += 1;
        levels += 1;
        if (levels > limits.levels) return 'too deep';
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        levels -= 1;
        break;
      default:
    }
  }
  Object.assign(state, { at, levels, members, isInString });
  return members > limits.members ? 'too many members' : undefined;
}
