/** Reads a text from local storage; null if it is absent or storage is disabled. */
export function storedText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text in local storage, or removes it. Does nothing if storage is disabled. */
export function storeText(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Storage is disabled.
  }
}

/** Reads an object of texts stored as JSON; empty if it is absent. */
export function storedTexts(key: string): Readonly<Record<string, string>> {
  try {
    const stored: unknown = JSON.parse(storedText(key) ?? '{}');
    const entries = typeof stored === 'object' && stored !== null ? Object.entries<unknown>({ ...stored }) : [];
    return Object.fromEntries(
      entries.flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : [])),
    );
  } catch {
    return {};
  }
}
