/**
 * `npm run sbom [-- DIR]`: writes what the system is made of into a folder (`sbom`): `bom.cdx.json` (CycloneDX 1.6) and
 * `licenses.md`. Fails when a license is not one of those that are allowed.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { billOfMaterials, licenseList, lockedPackages, notAllowed, requiredPackages } from './bill-of-materials.ts';
import { root } from '@esd/dev-stack/root';

const folder = resolve(process.env['INIT_CWD'] ?? '.', process.argv[2] ?? 'sbom');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const components = [
  ...lockedPackages(read('package-lock.json')),
  ...['tools/requirements.txt', 'tools/deploy/requirements.txt', 'bench/requirements.txt'].flatMap((file) =>
    requiredPackages(read(file), file.startsWith('bench')),
  ),
];
mkdirSync(folder, { recursive: true });
const bill = billOfMaterials(read('package.json'), components);
writeFileSync(join(folder, 'bom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
writeFileSync(join(folder, 'licenses.md'), licenseList(components));
process.stdout.write(
  `${components.length} packages: ${join(folder, 'bom.cdx.json')}, ${join(folder, 'licenses.md')}\n`,
);
const refused = notAllowed(components);
for (const { name, version, license } of refused) {
  process.stderr.write(`${name} ${version}: ${license || 'no license'} is not among the licenses that are allowed\n`);
}
process.exitCode = refused.length > 0 ? 1 : 0;
