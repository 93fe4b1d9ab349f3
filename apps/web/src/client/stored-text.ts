type Place = 'localStorage' | 'sessionStorage';

/** Reads a text from storage; null if it is absent or storage is disabled. */
export function storedText(key: string, place: Place = 'localStorage'): string | null {
  try {
    return globalThis[place].getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text, or removes it. Does nothing if storage is disabled. */
export function storeText(key: string, text: string | undefined, place: Place = 'localStorage'): void {
  try {
    if (text === undefined) globalThis[place].removeItem(key);
    else globalThis[place].setItem(key, text);
  } catch {
    // Storage is disabled.
  }
}

/** Reads an object of texts stored as JSON; empty if it is absent. */
export function storedTexts(key: string, place: Place = 'localStorage'): Readonly<Record<string, string>> {
  try {
    const stored: unknown = JSON.parse(storedText(key, place) ?? '{}');
    const entries = typeof stored === 'object' && stored !== null ? Object.entries<unknown>({ ...stored }) : [];
    return Object.fromEntries(
      entries.flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : [])),
    );
  } catch {
    return {};
  }
}
