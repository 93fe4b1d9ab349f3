import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { root } from '@esd/dev-stack/root';
import { components, type Manifest, overlays, renderEdited, renderOverlay } from './manifests.ts';

/** The oldest and the newest Kubernetes version in docs/deploy-kubernetes.md. */
const versions = ['1.34', '1.37'] as const;

const schemas = join(root, '.tools', 'kubernetes', 'kubernetes_validate', 'kubernetes-json-schema');

/** Returns a check of manifests against the strict schemas of one version, in which an unknown field is an error. */
function strictCheck(version: string): (manifest: Manifest) => string[] {
  const folder = join(schemas, `v${version}.0-local-strict`);
  const read = (name: string): object => {
    const schema: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    if (typeof schema !== 'object' || schema === null) throw new Error(`${name} is not a schema`);
    return schema;
  };
  // Ajv does not know the OpenAPI formats in the schemas, which add nothing to the types.
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

  test.each(overlays)('accepts every object and field of %s', (overlay) => {
    const manifests = renderOverlay(overlay);
    expect(manifests.flatMap(check)).toEqual([]);
    expect(manifests.length).toBeGreaterThan(50);
  });

  test.each(overlays)('accepts what the components add to %s', (overlay) => {
    const all = renderEdited(overlay, { components });
    // k8s-components.test.ts checks the objects of the operators.
    const known = all.filter(({ apiVersion }) => !/\.(coreos\.com|cnpg\.io)\//.test(apiVersion));
    expect(known.flatMap(check)).toEqual([]);
    expect(known.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')).toHaveLength(4);
  });

  test('rejects a misspelled field and a field of the wrong type', () => {
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
  });
});
