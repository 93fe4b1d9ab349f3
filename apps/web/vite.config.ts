import { defineConfig } from 'vite';

/** Replaces the values of some members of the catalog, by the name of the member. */
function withValues(code: string, root: unknown, values: Readonly<Record<string, string>>): string {
  const changes: (Range & { readonly value: string })[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    // The nodes of the ESTree format.
    const { type, key, value: range } = node as { type?: string; key?: { name?: string }; value?: Range };
    const value = type === 'Property' ? values[key?.name ?? ''] : undefined;
    if (value !== undefined && range !== undefined) changes.push({ start: range.start, end: range.end, value });
    else Object.values(node).forEach(visit);
  };
  visit(root);
  return changes.reduceRight((text, { start, end, value }) => text.slice(0, start) + value + text.slice(end), code);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // Relative paths between scripts work under any path of the public URL.
  base: './',
  plugins: [
    {
      name: 'plain-imports',
      enforce: 'pre',
      load: {
        filter: { id: /vite\/preload-helper\.js$/ },
        // Vite's helper loads the style sheets of an imported script. No script has style sheets, so the pages need no helper.
        handler: () => 'export const __vitePreload = (load) => load();',
      },
    },
    {
      name: 'catalog-of-sheets',
      enforce: 'pre',
      // Only the sheet reader needs the words of headings. Pages load it later, with a catalog of its own.
      resolveId: {
        filter: { id: /\/catalog\.ts$/ },
        async handler(source, importer) {
          if (importer?.endsWith('/heading-words.ts') !== true) return undefined;
          const resolved = await this.resolve(source, importer, { skipSelf: true });
          return resolved && `${resolved.id}?headings`;
        },
      },
    },
    {
      name: 'small-catalog',
      transform: {
        filter: { id: /\/catalog\/catalog\.ts(\?headings)?$/ },
        handler(code, id) {
          const values = {
            ...(id.endsWith('?headings') ? {} : { headings: 'undefined', otherHeadings: 'undefined' }),
            // Only the server writes pages with these sentences.
            ...(this.environment.name === 'client' ? { meaning: "''", details: "''" } : {}),
          };
          return { code: withValues(code, this.parse(code), values), map: null };
        },
      },
    },
  ],
});
