/** Reads a text that this browser stores; null without one, and where storage is switched off. */
export function storedText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text for the next page, or removes it. Without storage, the text is lost with this page. */
export function storeText(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // The page works without storage.
  }
}

/** Reads the texts of an object that is stored as JSON; an empty object without one. */
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
