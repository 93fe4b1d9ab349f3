import { defineConfig } from 'vite';

/** The words of headings in the catalog. */
const HEADINGS = new Set(['headings', 'otherHeadings']);
/** The sentences of the catalog about a key. */
const SENTENCES = new Set(['meaning', 'details']);

/** Replaces the values of members of the catalog. */
function withoutMembers(code: string, root: unknown, members: ReadonlySet<string>, value: string): string {
  const ranges: (readonly [start: number, end: number])[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    // The nodes of the ESTree format.
    const { type, key, value: own } = node as { type?: string; key?: { name?: string }; value?: Range };
    if (type === 'Property' && own !== undefined && members.has(key?.name ?? '')) ranges.push([own.start, own.end]);
    else Object.values(node).forEach(visit);
  };
  visit(root);
  return ranges.reduceRight((text, [start, end]) => text.slice(0, start) + value + text.slice(end), code);
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
          const hasHeadings = id.endsWith('?headings');
          const small = hasHeadings ? code : withoutMembers(code, this.parse(code), HEADINGS, 'undefined');
          // Only the server writes pages with these sentences.
          if (this.environment.name !== 'client') return { code: small, map: null };
          return { code: withoutMembers(small, this.parse(small), SENTENCES, "''"), map: null };
        },
      },
    },
  ],
});
