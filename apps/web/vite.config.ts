import { defineConfig } from 'vite';

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
  ],
});
