import { describe, expect, test } from '@jest/globals';
import { kubernetesSecrets } from '../../deploy/kubernetes-secrets.ts';
import { completeSecrets } from '../../deploy/secret-values.ts';
import { gateway, services } from '@esd/dev-stack/service-table';
import {
  fits,
  type Labels,
  type Manifest,
  overlays,
  podOf,
  renderEdited,
  renderOverlay,
  type Workload,
  workloads,
} from './manifests.ts';
import { settingsOf } from './process-settings.ts';

const names = services.map(({ name }) => name);
const withDatabase = services.filter(({ database }) => database !== undefined).map(({ name }) => name);

/** Returns the environment of a workload, from its ConfigMaps and the generated Secrets. */
function environmentOf({ template }: Workload, manifests: readonly Manifest[]): Map<string, string> {
  const secrets = new Map(
    kubernetesSecrets(completeSecrets(new Map()), { address: 'postgres:5432', parameters: '' }).map((secret) => {
      return [secret.metadata.name, secret.stringData];
    }),
  );
  const environment = new Map<string, string>();
  for (const { env = [], envFrom = [] } of template.spec.containers) {
    for (const { configMapRef, secretRef } of envFrom) {
      const source = configMapRef ?? secretRef;
      const data =
        configMapRef === undefined
          ? secrets.get(secretRef?.name ?? '')
          : manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name)?.data;
      if (data === undefined) throw new Error(`no ConfigMap or Secret is named ${source?.name ?? '(no name)'}`);
      for (const [name, value] of Object.entries(data)) {
        if (environment.has(name)) throw new Error(`${name} is set twice`);
        environment.set(name, value);
      }
    }
    for (const { name, value } of env) environment.set(name, value ?? '');
  }
  return environment;
}

describe.each(overlays)('%s', (overlay) => {
  const manifests = renderOverlay(overlay);
  const all = workloads(manifests);
  const deployments = all.filter(({ kind }) => kind === 'Deployment');

  test('runs every process of the service table and migrates every database', () => {
    expect(deployments.map(({ name }) => name).sort()).toEqual([...names].sort());
    const replicas = overlay === 'dev' ? undefined : 2;
    expect(deployments.map(({ manifest }) => manifest.spec?.replicas)).toEqual(names.map(() => replicas));
    const migrations = all.filter(({ template }) =>
      template.spec.containers.some(({ args }) => args?.includes('migrate')),
    );
    expect(migrations.map(({ template }) => template.spec.containers[0]?.args?.[0]).sort()).toEqual(
      withDatabase.map((name) => `apps/${name}/src/main.ts`).sort(),
    );
    for (const { name, template } of deployments) {
      expect(template.spec.containers.map(({ args }) => args)).toEqual([[`apps/${name}/src/main.ts`]]);
    }
  });

  test.each(all.map((workload) => [`${workload.kind} ${workload.name}`, workload] as const))(
    '%s meets the restricted Pod Security Standard and has resource limits',
    (_, { template: { spec } }) => {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(spec.securityContext?.['runAsUser']).toBeGreaterThan(0);
      expect(spec.enableServiceLinks).toBe(false);
      expect(spec.initContainers).toBeUndefined();
      expect(spec.containers).toHaveLength(1);
      for (const container of spec.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources?.requests).toEqual({ cpu: expect.any(String), memory: expect.any(String) });
        expect(container.resources?.limits).toEqual({ memory: expect.any(String) });
      }
      for (const { name, emptyDir } of spec.volumes ?? []) {
        if (emptyDir !== undefined) expect([name, emptyDir.sizeLimit]).toEqual([name, expect.any(String)]);
      }
    },
  );

  test('gives a token for the API server only to the pod that creates the Secrets', () => {
    const accounts = manifests.filter(({ kind }) => kind === 'ServiceAccount');
    expect(accounts.map((account) => account.automountServiceAccountToken)).toEqual(accounts.map(() => false));
    const known = accounts.map(({ metadata }) => metadata.name);
    for (const { template } of all) expect(known).toContain(template.spec.serviceAccountName);
    const withToken = all.filter(({ template }) => template.spec.automountServiceAccountToken !== false);
    expect(withToken.map(({ name }) => name)).toEqual(overlay === 'dev' ? ['secrets'] : []);
    // Each process has its own ServiceAccount.
    expect(new Set(deployments.map(({ template }) => template.spec.serviceAccountName)).size).toBe(names.length);
  });

  test('lets a pod read only the Secrets that it creates', () => {
    const roles = manifests.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
    expect(roles.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(
      overlay === 'dev' ? ['Role secrets'] : [],
    );
    const made = kubernetesSecrets(completeSecrets(new Map()), { address: '', parameters: '' });
    for (const { rules } of roles) {
      expect(rules).toEqual([
        { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
        {
          apiGroups: [''],
          resources: ['secrets'],
          resourceNames: expect.arrayContaining(['esd-secrets', ...made.map(({ metadata }) => metadata.name)]),
          verbs: ['get', 'update'],
        },
      ]);
      expect(rules?.[1]?.resourceNames).toHaveLength(made.length + 1);
    }
  });

  test.each(deployments.map((deployment) => [deployment.name, deployment] as const))(
    '%s starts, takes over and stops without losing work',
    (name, { manifest, template: { metadata, spec } }) => {
      const [container] = spec.containers;
      const probes = [container?.startupProbe, container?.readinessProbe, container?.livenessProbe];
      expect(probes).toMatchObject(
        name === gateway
          ? ['/ready', '/health', '/health'].map((path) => ({ httpGet: { port: 'http', path } }))
          : [{ port: 50_051, service: 'liveness' }, { port: 50_051 }, { port: 50_051, service: 'liveness' }].map(
              (grpc) => ({ grpc }),
            ),
      );
      // A service opens its gRPC port after the migration, and the gateway waits for the services.
      const { periodSeconds = 10, failureThreshold = 3 } = container?.startupProbe ?? {};
      expect(periodSeconds * failureThreshold).toBe(manifest.spec?.progressDeadlineSeconds);
      if (name !== gateway) expect(container?.readinessProbe?.grpc).toEqual({ port: 50_051 });
      const sleep = container?.lifecycle?.preStop?.sleep?.seconds ?? 0;
      expect(sleep).toBeGreaterThanOrEqual(5);
      // The ports are drained in sequence, 10 s each (ESD_SHUTDOWN_SECONDS).
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(sleep + (name === gateway ? 11 : 20) + 5);
      expect(manifest.spec).toMatchObject({
        minReadySeconds: 35,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      });
      expect(spec.topologySpreadConstraints).toHaveLength(2);
      const budgets = manifests.filter(({ kind, spec: budget }) => {
        return kind === 'PodDisruptionBudget' && fits(metadata.labels, { ...budget?.selector });
      });
      expect(budgets.map((budget) => budget.spec?.maxUnavailable)).toEqual([1]);
    },
  );

  test('has a Service and container port for every address in the environment', async () => {
    const values = deployments.flatMap((deployment) => [...environmentOf(deployment, manifests).values()]);
    const addresses = values.flatMap((value) => {
      const [, host, port] = /^(?:dns:\/\/\/|https?:\/\/|nats:\/\/)([a-z0-9-]+):(\d+)$/.exec(value) ?? [];
      return host === undefined || host === 'localhost'
        ? []
        : [{ host, port: Number(port), headless: value.startsWith('dns:') }];
    });
    expect(addresses.length).toBeGreaterThan(10);
    for (const { host, port, headless } of addresses) {
      const service = manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === host);
      expect([host, service?.spec?.ports?.map((one) => one.port)]).toEqual([host, [port]]);
      // A gRPC client must find every ready replica.
      if (headless) expect([host, service?.spec?.clusterIP]).toEqual([host, 'None']);
      expect(service?.spec?.publishNotReadyAddresses).toBeUndefined();
      const labels = { ...service?.spec?.selector } as Labels; // a Service selects only by labels
      const targets = all.filter(({ template }) => fits(template.metadata.labels, { matchLabels: labels }));
      expect(targets.map(({ kind }) => kind)).toEqual([expect.stringMatching(/Deployment|StatefulSet/)]);
      const ports = targets.flatMap(({ template }) => template.spec.containers.flatMap((one) => one.ports ?? []));
      expect(ports).toContainEqual({ name: service?.spec?.ports?.[0]?.targetPort, containerPort: port });
    }
  });

  test.each(
    [...deployments, ...all.filter(({ name }) => name.startsWith('migrate-'))].map((one) => [one.name, one] as const),
  )('%s has every required setting and no unknown one', async (_, workload) => {
    const service = /^apps\/([^/]+)/.exec(workload.template.spec.containers[0]?.args?.[0] ?? '')?.[1] ?? '';
    const environment = environmentOf(workload, manifests);
    // Production has a placeholder.
    if (environment.get('ESD_PUBLIC_URL')?.startsWith('<'))
      environment.set('ESD_PUBLIC_URL', 'https://esd.example.org');
    const settings = await settingsOf(service);
    const wrong = [...settings].filter(([name, setting]) => !setting.safeParse(environment.get(name)).success);
    expect(wrong.map(([name]) => name)).toEqual([]);
    const unknown = [...environment.keys()].filter((name) => name.startsWith('ESD_') && !settings.has(name));
    expect(unknown).toEqual([]);
    const more = services.find(({ name }) => name === service)?.environment ?? {};
    expect([...environment]).toEqual(expect.arrayContaining(Object.entries(more)));
    // This port serves probes, internal HTTP endpoints and metrics.
    expect(environment.get('ESD_HTTP_LISTEN')).toBe('8081');
    expect(environment.get('ESD_MIGRATE')).toBeUndefined();
  });

  test.each(['gateway', 'export-svc', 'dataset-svc'])('%s reads the dataset metadata from a ConfigMap', (name) => {
    const deployment = deployments.find((one) => one.name === name);
    if (!deployment) throw new Error(`there is no Deployment ${name}`);
    const { containers, volumes = [] } = deployment.template.spec;
    const mounted = volumes.find((volume) => volume.name === 'dataset');
    const map = manifests.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === mounted?.configMap?.name,
    );
    expect(Object.keys(map?.data ?? {})).toEqual(['dataset.json']);
    expect(containers[0]?.volumeMounts).toContainEqual({ name: 'dataset', mountPath: '/etc/esd', readOnly: true });
    expect(environmentOf(deployment, manifests).get('ESD_DATASET_FILE')).toBe('/etc/esd/dataset.json');
  });

  test('keeps its objects in one namespace, which enforces the restricted standard', () => {
    const namespaces = manifests.filter(({ kind }) => kind === 'Namespace');
    const [namespace] = namespaces;
    expect(namespaces).toHaveLength(1);
    expect(namespace?.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    for (const { kind, metadata } of manifests) {
      if (kind !== 'Namespace')
        expect([metadata.name, metadata.namespace]).toEqual([metadata.name, namespace?.metadata.name]);
    }
    // Secrets are created outside the overlay.
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });
});

describe('production', () => {
  test.each(names)('gives %s the permissions, files and limits of the overlay dev, whose pods run in tests', (name) => {
    const [dev, production] = overlays.map((overlay) => {
      const { spec, app } = podOf(renderOverlay(overlay), name);
      const { args, resources, securityContext, volumeMounts } = app;
      // The name of a ConfigMap ends with a hash of its content.
      const volumes = spec.volumes?.map((volume) => ({ ...volume, configMap: volume.configMap && 'dataset' }));
      return { pod: spec.securityContext, args, resources, securityContext, volumeMounts, volumes };
    });
    expect(production).toEqual(dev);
    expect(dev?.securityContext).toBeDefined();
  });

  const image = /^registry\.example\.org\/electrospinning-dataset-service@sha256:/;

  test('has placeholders that the API server refuses', () => {
    const manifests = renderOverlay('production');
    // A label may contain only letters, digits, hyphens, underscores and dots.
    for (const { metadata } of manifests) expect(metadata.labels?.['app.kubernetes.io/version']).toBe('<release>');
    for (const { template } of workloads(manifests)) {
      expect(template.spec.containers.map((one) => one.image)).toEqual([expect.stringMatching(image)]);
      expect(template.spec.containers[0]?.image).not.toMatch(/@sha256:[0-9a-f]{64}$/);
    }
  });

  test('uses TLS for the servers and has a placeholder for the public URL', () => {
    const manifests = renderOverlay('production');
    for (const workload of workloads(manifests)) {
      const environment = environmentOf(workload, manifests);
      const { name } = workload;
      const expected = { ESD_DATABASE_URL: 'verify-full', ESD_NATS_URL: 'tls:', ESD_S3_ENDPOINT: 'https:' };
      const found = {
        ESD_DATABASE_URL: environment.get('PGSSLMODE'),
        ESD_NATS_URL: environment.get('ESD_NATS_URL')?.split('//')[0],
        ESD_S3_ENDPOINT: environment.get('ESD_S3_ENDPOINT')?.split('//')[0],
      };
      for (const variable of ['ESD_DATABASE_URL', 'ESD_NATS_URL', 'ESD_S3_ENDPOINT'] as const) {
        if (environment.has(variable)) expect([name, found[variable]]).toEqual([name, expected[variable]]);
      }
      const url = environment.get('ESD_PUBLIC_URL');
      if (url !== undefined) expect(url).toMatch(/^<.*>$/);
    }
  });

  test('names the migration Jobs after the software release, so that each release has its own', () => {
    const digest = 'a'.repeat(64);
    const all = workloads(
      renderEdited('production', {
        replace: (text) => text.replace('<release>', '1-4-0').replace(/sha256:<[^>]*>/, `sha256:${digest}`),
      }),
    );
    const jobs = all.filter(({ kind }) => kind === 'Job').map(({ name }) => name);
    expect(jobs.sort()).toEqual(withDatabase.map((name) => `migrate-${name}-1-4-0`).sort());
    for (const { template } of all) {
      expect(template.spec.containers[0]?.image).toBe(
        `registry.example.org/electrospinning-dataset-service@sha256:${digest}`,
      );
    }
  });

  test('with the TLS component gives each process a certificate, and uses HTTPS for calls and probes', () => {
    const manifests = renderEdited('dev', { components: ['tls'] });
    const deployments = workloads(manifests).filter(({ kind }) => kind === 'Deployment');
    expect(deployments.map(({ name }) => name).sort()).toEqual([...names].sort());
    for (const deployment of deployments) {
      const { name, template } = deployment;
      const [container] = template.spec.containers;
      const env = new Map(container?.env?.map((variable) => [variable.name, variable.value]));
      expect([name, env.get('ESD_TLS_CERT_FILE')]).toEqual([name, '/tls/tls.crt']);
      expect([env.get('ESD_TLS_KEY_FILE'), env.get('ESD_TLS_CA_FILE')]).toEqual(['/tls/tls.key', '/tls/ca.crt']);
      expect(container?.volumeMounts).toContainEqual({ name: 'tls', mountPath: '/tls', readOnly: true });
      expect(template.spec.volumes).toContainEqual({ name: 'tls', secret: { secretName: `esd-tls-${name}` } });
      const called = [...environmentOf(deployment, manifests)].filter(([variable]) => variable.endsWith('_HTTP'));
      for (const [, url] of called) expect(url).toMatch(/^https:/);
      const probes = [container?.startupProbe, container?.readinessProbe, container?.livenessProbe];
      expect(probes.map((probe) => probe?.grpc)).toEqual([undefined, undefined, undefined]);
      expect(probes.map((probe) => probe?.httpGet)).toEqual(
        ['/ready', name === gateway ? '/health' : '/ready', '/health'].map((path) => ({
          port: 'http',
          path,
          scheme: 'HTTPS',
        })),
      );
    }
  });
});
