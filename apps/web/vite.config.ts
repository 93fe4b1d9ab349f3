import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // Scripts find each other beside themselves, whatever the path of the public URL is.
  base: './',
});
