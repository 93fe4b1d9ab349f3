/** Reads a text that this browser stores; null where there is none, or where storage is switched off. */
export function storedText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text for the next page, or removes it. Where storage is switched off, it holds for this page alone. */
export function storeText(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // What is on the page stays.
  }
}

/** Reads the texts of an object that is stored as JSON; none where there is no such object. */
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
