import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { root } from '@esd/dev-stack/root';
import { type Manifest, overlays, renderOverlay } from './manifests.ts';

/** The oldest and the newest Kubernetes that docs/deploy-kubernetes.md names. */
const versions = ['1.34', '1.37'] as const;

// The schema of a Deployment draws in most of the others.
const COMPILED_MS = 120_000;

const schemas = join(root, '.tools', 'kubernetes', 'kubernetes_validate', 'kubernetes-json-schema');

/** A check of manifests against the schemas of one version, which know every field: a member that they do not name is an error. */
function strictCheck(version: string): (manifest: Manifest) => string[] {
  const folder = join(schemas, `v${version}.0-local-strict`);
  const read = (name: string): object => {
    const schema: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    if (typeof schema !== 'object' || schema === null) throw new Error(`${name} is no schema`);
    return schema;
  };
  // The schemas carry OpenAPI's formats, which say nothing beyond the types.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(read('_definitions.json'), 'https://kubernetes.io/api/_definitions.json');
  const compiled = new Map<string, ValidateFunction>();
  return (manifest) => {
    // rbac.authorization.k8s.io/v1 → rbac-v1
    const group = manifest.apiVersion.replace(/^([^./]*)(\.[^/]*)?\//, '$1-');
    const file = `${manifest.kind}-${group}.json`.toLowerCase();
    const validate = compiled.get(file) ?? ajv.compile(read(file));
    compiled.set(file, validate);
    const { kind, metadata } = manifest;
    const data: unknown = manifest;
    if (validate(data)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      return `${kind} ${metadata.name} ${instancePath} ${message ?? ''} ${JSON.stringify(params)}`;
    });
  };
}

describe.each(versions)('Kubernetes %s', (version) => {
  const check = strictCheck(version);

  test.each(overlays)(
    'knows every object and field of %s',
    (overlay) => {
      const manifests = renderOverlay(overlay);
      expect(manifests.flatMap(check)).toEqual([]);
      expect(manifests.length).toBeGreaterThan(50);
    },
    COMPILED_MS,
  );

  test(
    'does not know a field that was mistyped, or one of the wrong type',
    () => {
      const [deployment] = renderOverlay('dev').filter(({ kind }) => kind === 'Deployment');
      if (!deployment?.spec?.template) throw new Error('there is no Deployment');
      const { spec } = deployment;
      expect(check({ ...deployment, spec: { ...spec, replcas: 2 } as object })).toEqual([
        expect.stringContaining('"additionalProperty":"replcas"'),
      ]);
      const container = { ...deployment.spec.template.spec.containers[0], readOnlyRootFilesystem: true };
      const template = {
        ...deployment.spec.template,
        spec: { ...deployment.spec.template.spec, containers: [container] },
      };
      expect(check({ ...deployment, spec: { ...spec, template } as object })).toEqual([
        expect.stringContaining('"additionalProperty":"readOnlyRootFilesystem"'),
      ]);
      expect(check({ ...deployment, spec: { ...spec, minReadySeconds: '35' } as object })).toEqual([
        expect.stringContaining('/spec/minReadySeconds'),
      ]);
    },
    COMPILED_MS,
  );
});
