/** Builds the web pages into dist/: client/ contains hashed assets in several encodings, and server/server.js renders pages. */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { build } from 'vite';

const dist = join(import.meta.dirname, 'dist');
const client = join(dist, 'client');
const configFile = join(import.meta.dirname, 'vite.config.ts');
const logLevel = 'warn';

rmSync(dist, { recursive: true, force: true });
const entries = readdirSync(join(import.meta.dirname, 'src', 'entries'));
await build({
  configFile,
  logLevel,
  build: {
    emptyOutDir: true,
    manifest: true,
    // The pages themselves list the modules to preload.
    modulePreload: false,
    outDir: client,
    rolldownOptions: {
      input: ['src/style.css', ...entries.map((file) => `src/entries/${file}`)],
      // Each further file of a few hundred bytes costs a request and compresses worse.
      output: { codeSplitting: { groups: [{ name: 'preact', test: /node_modules\/@?preact\// }] } },
    },
  },
});
const manifest = JSON.parse(readFileSync(join(client, '.vite', 'manifest.json'), 'utf8'));
/** Copies a picture into the assets, with a hash of its content in its name. Returns its path below the base. */
function addPicture(file) {
  const bytes = readFileSync(join(import.meta.dirname, 'src', file));
  const { name, ext } = parse(file);
  const asset = `${name}-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}${ext}`;
  writeFileSync(join(client, 'assets', asset), bytes);
  return `/assets/${asset}`;
}
const style = manifest['src/style.css'];
const styleSheet = `/${style.file}`;
const fonts = style.assets.filter((file) => /-latin-(wght|600)-/.test(file)).map((file) => `/${file}`);
if (fonts.length !== 2) throw new Error(`Expected the Latin files of two typefaces, found ${fonts.join(', ')}.`);
/** Returns the files of an entry: its own file first, then those that it imports. */
function filesOf(key, found = new Set()) {
  found.add(`/${manifest[key].file}`);
  for (const imported of manifest[key].imports ?? []) filesOf(imported, found);
  return [...found];
}
const scripts = Object.fromEntries(
  entries.map((file) => [file.replace(/\.tsx?$/, ''), filesOf(`src/entries/${file}`)]),
);
const digest = createHash('sha256').update(JSON.stringify(manifest)).digest('hex').slice(0, 12);
await build({
  configFile,
  logLevel,
  define: {
    BUILD: JSON.stringify(digest),
    STYLE_SHEET: JSON.stringify(styleSheet),
    FONTS: JSON.stringify(fonts),
    ICON: JSON.stringify(addPicture('icon.svg')),
    TOUCH_ICON: JSON.stringify(addPicture('touch-icon.png')),
    PREVIEW: JSON.stringify(addPicture('preview.png')),
    SCRIPTS: JSON.stringify(scripts),
  },
  // Bundles all packages, because the gateway does not install them.
  ssr: { noExternal: true },
  build: {
    ssr: true,
    manifest: false,
    outDir: join(dist, 'server'),
    rolldownOptions: { input: join(import.meta.dirname, 'src', 'server.tsx') },
  },
});

const assets = join(client, 'assets');
for (const name of readdirSync(assets)) {
  // These formats are compressed.
  if (/\.(png|woff2)$/.test(name)) continue;
  const bytes = readFileSync(join(assets, name));
  writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes));
  writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
  writeFileSync(
    join(assets, `${name}.zst`),
    zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }),
  );
}
