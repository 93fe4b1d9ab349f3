import { randomUUID } from 'node:crypto';
import { member, text } from '@esd/dev-stack/json-value';

/** A package that the system, its tests or its tools are made of. */
export interface Component {
  name: string;
  version: string;
  /** SPDX expression; empty when it has none. */
  license: string;
  /** Its address as a package URL without version. */
  purl: string;
  /** Only for development and tests. */
  development: boolean;
  hashes: { alg: 'SHA-256' | 'SHA-512' | 'SHA-1'; content: string }[];
}

const ALLOWED = new Set([
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', 'Zlib'],
  ...['Python-2.0', 'PSF-2.0', 'CC0-1.0', 'Unlicense', 'LicenseRef-Public-Domain'],
]);

/** Packages that may have another license, each for a reason. */
const EXCEPTIONS: { name: RegExp; license: string }[] = [
  // libvips, a library of its own that is linked dynamically and can be replaced.
  { name: /^@img\/sharp-/, license: 'LGPL-3.0-or-later' },
  // MIT, in a member that lock files do not take over; in tests with containers alone.
  { name: /^(buildcheck|cpu-features|ssh2)$/, license: '' },
  // Build style sheets, and look at pages in tests; nothing of them is changed.
  { name: /^(lightningcss(-.*)?|axe-core|@axe-core\/playwright)$/, license: 'MPL-2.0' },
  // Data, in development alone.
  { name: /^caniuse-lite$/, license: 'CC-BY-4.0' },
  // Certificates, in a benchmark alone; nothing of it is changed.
  { name: /^certifi$/, license: 'MPL-2.0' },
];

/** The npm packages of a package-lock.json, each version once. Throws for what is no lock file of version 3. */
export function lockedPackages(lock: string): Component[] {
  const found = new Map<string, Component>();
  for (const [path, entry] of Object.entries(member(JSON.parse(lock), 'packages') ?? {})) {
    const name = path.split('node_modules/').at(-1) ?? '';
    // Workspaces are this system itself.
    if (!path.includes('node_modules/') || member(entry, 'link') === true) continue;
    const version = text(member(entry, 'version'));
    const license = member(entry, 'license');
    const integrity = member(entry, 'integrity');
    const component: Component = {
      name,
      version,
      license: typeof license === 'string' ? license : '',
      purl: `pkg:npm/${name.replace('@', '%40')}`,
      development: member(entry, 'dev') === true || member(entry, 'devOptional') === true,
      hashes: typeof integrity === 'string' ? [npmHash(integrity)] : [],
    };
    const key = `${name}@${version}`;
    // What one place needs for development, another may run.
    if (found.get(key)?.development !== false) found.set(key, component);
  }
  return [...found.values()];
}

function npmHash(integrity: string): Component['hashes'][number] {
  const [kind, base64 = ''] = integrity.split('-');
  return { alg: kind === 'sha1' ? 'SHA-1' : 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') };
}

/** The packages of a requirements.txt, where a comment before each says its license. */
export function requiredPackages(requirements: string, development: boolean): Component[] {
  const packages = requirements.matchAll(
    /^(?:# ([^\n]*)\n)?([\w-]+)==([\w.]+)((?: \\\n\s+--hash=sha256:[0-9a-f]+)*)/gm,
  );
  return [...packages].map(([, license = '', name = '', version = '', hashes = '']) => ({
    name,
    version,
    license,
    purl: `pkg:pypi/${name.toLowerCase().replaceAll('_', '-')}`,
    development,
    hashes: [...hashes.matchAll(/sha256:([0-9a-f]+)/g)].map(([, content = '']) => ({ alg: 'SHA-256', content })),
  }));
}

/** The components whose license is neither allowed nor excepted. */
export function notAllowed(components: readonly Component[]): Component[] {
  return components.filter(({ name, license }) => {
    const excepted = EXCEPTIONS.filter((one) => one.name.test(name)).map((one) => one.license);
    const isAllowed = (id: string): boolean => ALLOWED.has(id) || excepted.includes(id);
    // Expressions of packages are flat: alternatives, each of one or several licenses.
    const alternatives = license.replaceAll(/[()]/g, '').split(' OR ');
    return !alternatives.some((alternative) => alternative.split(' AND ').every(isAllowed));
  });
}

/** A CycloneDX 1.6 bill of materials of this system, whose package.json is given. */
export function billOfMaterials(manifest: string, components: readonly Component[]): object {
  const [name, version] = ['name', 'version'].map((key) => text(member(JSON.parse(manifest), key)));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: new Date().toISOString(),
      component: { type: 'application', 'bom-ref': 'this', name, version, licenses: [{ license: { id: 'MIT' } }] },
    },
    components: components.map((component) => {
      const purl = `${component.purl}@${component.version}`;
      return {
        type: 'library',
        'bom-ref': purl,
        name: component.name,
        version: component.version,
        purl,
        scope: component.development ? 'excluded' : 'required',
        licenses: component.license === '' ? [] : [{ expression: component.license }],
        // Of a Python package one for each of its files.
        hashes: component.hashes,
      };
    }),
  };
}

/** The packages by license, as Markdown. */
export function licenseList(components: readonly Component[]): string {
  const licenses = Map.groupBy(components, ({ license }) => license || 'none');
  const sections = [...licenses]
    .sort(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([license, members]) => {
      const lines = members.map(({ name, version, development }) => {
        return `- ${name} ${version}${development ? ' (development)' : ''}`;
      });
      return `## ${license}\n\n${lines.sort().join('\n')}\n`;
    });
  return `# Licenses\n\n${sections.join('\n')}`;
}
