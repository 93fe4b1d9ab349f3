import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: { emptyOutDir: true, manifest: true, rolldownOptions: { input: 'src/style.css' }, outDir: 'dist/client' },
});
