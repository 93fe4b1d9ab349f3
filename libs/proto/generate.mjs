import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { status, error } = spawnSync('../../node_modules/.bin/buf', ['generate'], {
  cwd: import.meta.dirname,
  stdio: 'inherit',
});
if (error) throw error;
if (status !== 0) process.exit(status ?? 1);

// The generator has no option that avoids copies of bytes; see src/wire.ts.
const generated = join(import.meta.dirname, 'src/generated');
for (const file of globSync('**/*.ts', { cwd: generated })) {
  const path = join(generated, file);
  const text = readFileSync(path, 'utf8');
  const changed = text
    .replace(
      'import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";',
      'import { asBuffer, BinaryReader, BinaryWriter } from "#wire";',
    )
    .replaceAll('Buffer.from(reader.bytes())', 'asBuffer(reader.bytes())')
    .replaceAll(/\bBuffer\.from\((\w+\.encode\(value\)\.finish\(\))\)/g, 'asBuffer($1)');
  writeFileSync(path, changed);
}
