import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { parse } from 'yaml';
import { array, member, text } from '@esd/dev-stack/json-value';
import { root } from '@esd/dev-stack/root';
import { gateway, services } from '@esd/dev-stack/service-table';
import { databaseRoleSecrets, kubernetesSecrets } from '../../deploy/kubernetes-secrets.ts';
import { completeSecrets } from '../../deploy/secret-values.ts';
import { components, fits, type Manifest, overlays, renderEdited, workloads } from './manifests.ts';
import { prometheusRule, ruleFile } from './prometheus-rule.ts';

const names = services.map(({ name }) => name);
const databases = services.flatMap(({ database }) => database ?? []).sort();
const autoscaled = ['dataset-svc', 'export-svc', gateway, 'media-svc'];
const observability = join(root, 'deploy', 'observability');

const of = (kind: string, manifests: readonly Manifest[]): Manifest[] => manifests.filter((one) => one.kind === kind);
const namesOf = (kind: string, manifests: readonly Manifest[]): string[] =>
  of(kind, manifests)
    .map(({ metadata }) => metadata.name)
    .sort();

function found(kind: string, name: string, manifests: readonly Manifest[]): Manifest {
  const [manifest] = of(kind, manifests).filter(({ metadata }) => metadata.name === name);
  if (manifest === undefined) throw new Error(`there is no ${kind} ${name}`);
  return manifest;
}

/** Throws if the schemas of the Prometheus operator reject the object. */
function validate(manifest: unknown): void {
  if (PodMonitor.is(manifest)) new PodMonitor(manifest).validate();
  else if (PrometheusRule.is(manifest)) new PrometheusRule(manifest).validate();
  else throw new Error(`${JSON.stringify(manifest)} is not an object of the Prometheus operator`);
}

/** Returns the value at a path of members and indexes. */
function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => member(inner, String(key)), value);
}

describe.each(overlays)('%s', (overlay) => {
  const plain = renderEdited(overlay, {});

  test.each(components)('renders with the component %s alone and with tls, in its own namespace', (component) => {
    const [{ metadata } = { metadata: { name: '' } }] = of('Namespace', plain);
    for (const list of [[component], [...new Set([component, 'tls'])]]) {
      const manifests = renderEdited(overlay, { components: list });
      for (const before of plain)
        found(before.kind, before.metadata.name.replace(/-[a-z0-9]{10}$/, ''), manifests.map(withoutHash));
      const outside = manifests.filter((one) => one.kind !== 'Namespace' && one.metadata.namespace !== metadata.name);
      expect(outside.map((one) => one.metadata.name)).toEqual([]);
    }
  });

  test('autoscaling scales four Deployments by CPU and leaves their replicas to the autoscaler', () => {
    const manifests = renderEdited(overlay, { components: ['autoscaling'] });
    expect(namesOf('HorizontalPodAutoscaler', manifests)).toEqual(autoscaled);
    for (const { metadata, spec } of of('HorizontalPodAutoscaler', manifests)) {
      expect(spec).toEqual({
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: metadata.name },
        minReplicas: 2,
        maxReplicas: 6,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '600m' } } },
        ],
        behavior: { scaleDown: { policies: [{ type: 'Pods', value: 1, periodSeconds: 300 }] } },
      });
      expect(found('Deployment', metadata.name, manifests).spec).not.toHaveProperty('replicas');
    }
    for (const name of names.filter((one) => !autoscaled.includes(one))) {
      const before = found('Deployment', name, plain).spec?.replicas;
      expect([name, found('Deployment', name, manifests).spec?.replicas]).toEqual([name, before]);
    }
  });

  test.each([false, true])('observability scrapes each process under its name (TLS: %s)', (tls) => {
    const manifests = renderEdited(overlay, { components: tls ? ['observability', 'tls'] : ['observability'] });
    expect(namesOf('PodMonitor', manifests)).toEqual([...names].sort());
    const all = workloads(manifests);
    for (const { metadata, spec } of of('PodMonitor', manifests)) {
      const { name } = metadata;
      const certificate = { ca: { secret: { name: 'esd-tls-gateway', key: 'ca.crt' } }, serverName: name };
      // The schemas accept unknown fields.
      expect(spec).toEqual({
        selector: { matchLabels: { 'app.kubernetes.io/name': name } },
        podMetricsEndpoints: [
          {
            port: 'http',
            interval: '15s',
            relabelings: [
              { sourceLabels: ['__meta_kubernetes_pod_label_app_kubernetes_io_name'], targetLabel: 'service' },
              { sourceLabels: ['__meta_kubernetes_pod_name'], targetLabel: 'instance' },
            ],
            ...(tls ? { scheme: 'https', tlsConfig: certificate } : { tlsConfig: { serverName: name } }),
          },
        ],
      });
      const selected = all.filter(({ template }) => fits(template.metadata.labels, { ...spec?.selector }));
      expect(selected.map((one) => one.name)).toEqual([name]);
      const ports = selected.flatMap(({ template }) => template.spec.containers[0]?.ports ?? []);
      expect(ports).toContainEqual({ name: 'http', containerPort: 8081 });
    }
  });

  test('observability has the rules and each dashboard', () => {
    const manifests = renderEdited(overlay, { components: ['observability'] });
    const rules: unknown = parse(readFileSync(join(observability, 'rules.yaml'), 'utf8'));
    expect(found('PrometheusRule', 'esd', manifests).spec).toEqual(rules);
    const maps = of('ConfigMap', manifests).filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1');
    expect(maps.map(({ data }) => Object.keys(data ?? {}))).toEqual([['overview.json'], ['process.json']]);
    for (const { data } of maps) {
      for (const [file, json] of Object.entries(data ?? {}))
        expect(json).toBe(readFileSync(join(observability, 'dashboards', file), 'utf8'));
    }
  });

  test('the objects of the Prometheus operator are valid', () => {
    const objects = renderEdited(overlay, { components }).filter(({ apiVersion }) =>
      apiVersion.startsWith('monitoring.coreos.com/'),
    );
    expect(objects).toHaveLength(names.length + 2);
    for (const one of objects) validate(one);
  });
});

test('the schemas of the Prometheus operator reject a missing member and a wrong type', () => {
  const { spec: _, ...monitor } = found(
    'PodMonitor',
    gateway,
    renderEdited('production', { components: ['observability'] }),
  );
  expect(() => validate({ ...monitor, spec: { podMetricsEndpoints: [] } })).toThrow('selector');
  const endpoint = { port: 8081 };
  expect(() => validate({ ...monitor, spec: { selector: {}, podMetricsEndpoints: [endpoint] } })).toThrow(
    'port must be string',
  );
});

test('the PrometheusRule is generated from the current rules', async () => {
  expect(readFileSync(ruleFile, 'utf8')).toBe(await prometheusRule());
});

describe('cloudnative-pg', () => {
  const manifests = renderEdited('production', { components: ['cloudnative-pg'] });
  const cluster = found('Cluster', 'esd-postgres', manifests);
  const address = { address: 'esd-postgres-rw:5432', parameters: '' };
  const values = completeSecrets(new Map());
  const secrets = new Map(databaseRoleSecrets(values).map((secret) => [secret.metadata.name, secret]));

  test('has the roles and databases of create-databases.sh, which are those of the services', () => {
    const script = readFileSync(join(root, 'deploy', 'k8s', 'servers', 'create-databases.sh'), 'utf8');
    const created = /for service in ([A-Z ]+);/.exec(script)?.[1]?.split(' ') ?? [];
    expect(created.map((name) => `esd_${name.toLowerCase()}`).sort()).toEqual(databases);
    const roles = databases.map((name) => {
      return { name, login: true, passwordSecret: { name: name.replace('esd_', 'esd-database-') } };
    });
    expect(at(cluster, 'spec', 'managed', 'roles')).toHaveLength(roles.length);
    expect(at(cluster, 'spec', 'managed', 'roles')).toEqual(expect.arrayContaining(roles));
    const specs = of('Database', manifests).map(({ spec }): unknown => spec);
    const expected = databases.map((name) => ({ name, owner: name, cluster: { name: 'esd-postgres' } }));
    expect(specs.map((spec) => text(member(spec, 'name'))).sort()).toEqual(databases);
    expect(specs).toEqual(expect.arrayContaining(expected));
    // No further database or role is created.
    expect(databases).toContain(at(cluster, 'spec', 'bootstrap', 'initdb', 'database'));
    expect(at(cluster, 'spec', 'bootstrap', 'initdb', 'owner')).toBe(
      at(cluster, 'spec', 'bootstrap', 'initdb', 'database'),
    );
  });

  test('gives each role the password in the URL of its service', () => {
    const processes = kubernetesSecrets(values, address);
    for (const { name, database } of services.filter((service) => service.database !== undefined)) {
      const roles = array(at(cluster, 'spec', 'managed', 'roles'));
      const role = roles.find((one) => member(one, 'name') === database);
      const secret = secrets.get(text(at(role, 'passwordSecret', 'name')));
      expect(secret?.type).toBe('kubernetes.io/basic-auth');
      expect(secret?.metadata.labels).toMatchObject({ 'cnpg.io/reload': 'true' });
      const { username, password } = secret?.stringData ?? {};
      const url = processes.find(({ metadata }) => metadata.name === `esd-${name}`)?.stringData['ESD_DATABASE_URL'];
      expect(url).toBe(`postgres://${username}:${password}@esd-postgres-rw:5432/${database}`);
      expect(username).toBe(database);
    }
    expect([...secrets.keys()]).toContain(at(cluster, 'spec', 'bootstrap', 'initdb', 'secret', 'name'));
  });

  test('commits on two of three instances, and admits a role only to its own database, with TLS', () => {
    expect(at(cluster, 'spec', 'instances')).toBe(3);
    expect(at(cluster, 'spec', 'postgresql', 'synchronous')).toEqual({
      method: 'any',
      number: 1,
      dataDurability: 'required',
      failoverQuorum: true,
    });
    expect(at(cluster, 'spec', 'postgresql', 'pg_hba')).toEqual([
      'hostssl sameuser all all scram-sha-256',
      'host all all all reject',
    ]);
    const connections = Number(at(cluster, 'spec', 'postgresql', 'parameters', 'max_connections'));
    const most = services.filter(({ database }) => database).map(({ name }) => (autoscaled.includes(name) ? 6 : 2));
    expect(connections).toBeGreaterThanOrEqual(most.reduce((sum, replicas) => sum + (replicas + 1) * 12, 0));
  });

  test('stores base backups and WAL for 30 days in the store of the objects', () => {
    expect(found('ObjectStore', 'esd-postgres', manifests).spec).toMatchObject({
      retentionPolicy: '30d',
      configuration: { destinationPath: 's3://esd-postgres/', endpointURL: 'https://s3.example.org' },
    });
    expect(at(cluster, 'spec', 'plugins')).toEqual([
      {
        name: 'barman-cloud.cloudnative-pg.io',
        isWALArchiver: true,
        parameters: { barmanObjectName: 'esd-postgres' },
      },
    ]);
    expect(found('ScheduledBackup', 'esd-postgres', manifests).spec).toMatchObject({
      cluster: { name: 'esd-postgres' },
      method: 'plugin',
      pluginConfiguration: { name: 'barman-cloud.cloudnative-pg.io' },
    });
  });

  test('lets the services and migrations connect, and verify the server with its authority', () => {
    const labels = { 'cnpg.io/cluster': 'esd-postgres', 'cnpg.io/podRole': 'instance' };
    const users = workloads(manifests).filter(({ name }) => name.endsWith('-svc') || name.startsWith('migrate-'));
    expect(users).toHaveLength(10);
    for (const { name, template } of users) {
      const volume = { secretName: 'esd-postgres-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] };
      expect([name, template.spec.volumes]).toEqual([
        name,
        expect.arrayContaining([{ name: 'postgres', secret: volume }]),
      ]);
      expect(template.spec.containers[0]?.volumeMounts).toContainEqual({
        name: 'postgres',
        mountPath: '/etc/postgres',
        readOnly: true,
      });
      const egress = found('NetworkPolicy', 'to-postgres', manifests).spec;
      expect([name, fits(template.metadata.labels, egress?.podSelector ?? {})]).toEqual([name, true]);
      expect(egress?.egress).toEqual([
        {
          to: [{ podSelector: { matchLabels: { 'cnpg.io/cluster': 'esd-postgres' } } }],
          ports: [{ protocol: 'TCP', port: 5432 }],
        },
      ]);
    }
    const policies = of('NetworkPolicy', manifests).filter(({ spec }) => {
      return spec?.podSelector?.matchLabels !== undefined && fits(labels, spec.podSelector);
    });
    expect(policies.map(({ metadata }) => metadata.name)).toEqual(['cloudnative-pg']);
    const [admits] = policies[0]?.spec?.ingress ?? [];
    const from = admits?.from?.[0]?.podSelector ?? {};
    expect(users.filter(({ template }) => !fits(template.metadata.labels, from))).toEqual([]);
    expect(admits?.ports).toEqual([{ protocol: 'TCP', port: 5432 }]);
    const gateways = workloads(manifests).filter(({ name }) => name === gateway);
    expect(gateways.filter(({ template }) => fits(template.metadata.labels, from))).toEqual([]);
    expect(found('PodMonitor', 'esd-postgres', manifests).spec).toEqual({
      selector: { matchLabels: labels },
      podMetricsEndpoints: [{ port: 'metrics' }],
    });
  });
});

/** Returns a manifest under the name that kustomize gives it before the hash of its content. */
function withoutHash(manifest: Manifest): Manifest {
  const { metadata } = manifest;
  return { ...manifest, metadata: { ...metadata, name: metadata.name.replace(/-[a-z0-9]{10}$/, '') } };
}
