import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { root } from '@esd/dev-stack/root';

export const overlays = ['dev', 'production'] as const;

/** The optional parts in the order of docs/deploy-kubernetes.md. */
export const components = ['autoscaling', 'cloudnative-pg', 'observability', 'tls'] as const;

export type Labels = Readonly<Record<string, string>>;

export interface Selector {
  matchLabels?: Labels;
  matchExpressions?: readonly { key: string; operator: string; values: readonly string[] }[];
}

export interface Container {
  name: string;
  image: string;
  command?: readonly string[];
  args?: readonly string[];
  env?: readonly { name: string; value?: string }[];
  envFrom?: readonly { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: readonly { name: string; containerPort: number }[];
  resources?: { requests?: Labels; limits?: Labels };
  securityContext?: Readonly<Record<string, unknown>>;
  lifecycle?: { preStop?: { sleep?: { seconds: number } } };
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  volumeMounts?: readonly { name: string; mountPath: string }[];
}

export interface Probe {
  grpc?: { port: number; service?: string };
  httpGet?: { port: string; path: string; scheme?: string };
  exec?: { command: readonly string[] };
  periodSeconds?: number;
  failureThreshold?: number;
}

export interface PodTemplate {
  metadata: { labels: Labels };
  spec: {
    serviceAccountName?: string;
    automountServiceAccountToken?: boolean;
    enableServiceLinks?: boolean;
    terminationGracePeriodSeconds?: number;
    topologySpreadConstraints?: readonly unknown[];
    securityContext?: Readonly<Record<string, unknown>>;
    containers: readonly Container[];
    initContainers?: readonly Container[];
    volumes?: readonly { name: string; emptyDir?: { sizeLimit?: string }; configMap?: { name: string } }[];
  };
}

export interface NetworkPort {
  protocol: string;
  port: number;
}

export interface NetworkPeer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string };
}

/** The fields of a Kubernetes object that the tests read. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels };
  data?: Readonly<Record<string, string>>;
  automountServiceAccountToken?: boolean;
  rules?: readonly { resources: readonly string[]; resourceNames?: readonly string[]; verbs: readonly string[] }[];
  spec?: {
    replicas?: number;
    clusterIP?: string;
    publishNotReadyAddresses?: boolean;
    selector?: Labels | Selector;
    ports?: readonly { port: number; targetPort: string }[];
    template?: PodTemplate;
    minReadySeconds?: number;
    progressDeadlineSeconds?: number;
    maxUnavailable?: number;
    podSelector?: Selector;
    policyTypes?: readonly string[];
    ingress?: readonly { from?: readonly NetworkPeer[]; ports?: readonly NetworkPort[] }[];
    egress?: readonly { to?: readonly NetworkPeer[]; ports?: readonly NetworkPort[] }[];
  };
}

const installed = join(root, '.tools', 'kubernetes', 'bin', 'kubectl');
// On macOS there is no wheel, so the machine's own kubectl is used.
const kubectl = existsSync(installed) ? installed : 'kubectl';

/** Renders an overlay as `kubectl apply -k` does. Throws an Error with the output of kubectl on failure. */
export function renderOverlay(name: string): Manifest[] {
  return render(join(root, 'deploy', 'k8s', 'overlays', name));
}

/** Renders a copy of an overlay that a user has edited, with these components. */
export function renderEdited(
  name: string,
  edit: { components?: readonly string[]; replace?: (kustomization: string) => string },
): Manifest[] {
  const folder = mkdtempSync(join(tmpdir(), 'esd-k8s-'));
  try {
    cpSync(join(root, 'deploy'), folder, { recursive: true });
    const overlay = join(folder, 'k8s', 'overlays', name);
    const file = join(overlay, 'kustomization.yaml');
    const kustomization = readFileSync(file, 'utf8');
    const list = (edit.components ?? []).map((component) => `../../components/${component}`);
    const lines = list.length > 0 ? `\ncomponents: [${list.join(', ')}]\n` : '';
    writeFileSync(file, (edit.replace?.(kustomization) ?? kustomization) + lines);
    return render(overlay);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function render(folder: string): Manifest[] {
  const text = execFileSync(kubectl, ['kustomize', folder], { encoding: 'utf8', timeout: 120_000 });
  return parseAllDocuments(text).map((document) => {
    const manifest: unknown = document.toJS();
    // k8s-schemas.test.ts validates this shape.
    return manifest as Manifest;
  });
}

/** An object with a pod template: Deployment, StatefulSet or Job. */
export interface Workload {
  kind: string;
  name: string;
  manifest: Manifest;
  template: PodTemplate;
}

export function workloads(manifests: readonly Manifest[]): Workload[] {
  return manifests.flatMap((manifest) => {
    const template = manifest.spec?.template;
    return template === undefined ? [] : [{ kind: manifest.kind, name: manifest.metadata.name, manifest, template }];
  });
}

const configMap = (manifests: readonly Manifest[], name: string | undefined): Readonly<Record<string, string>> =>
  manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name)?.data ?? {};

/** A Deployment, its only container, and what it takes from ConfigMaps: settings by name, and files by path. */
export interface Pod {
  spec: PodTemplate['spec'];
  app: Container;
  settings: Map<string, string>;
  files: Map<string, string>;
}

/** Returns the pod of a Deployment. Throws an Error for an unknown name. */
export function podOf(manifests: readonly Manifest[], service: string): Pod {
  const found = workloads(manifests).find(({ kind, name }) => kind === 'Deployment' && name === service);
  const [app] = found?.template.spec.containers ?? [];
  if (!found || !app) throw new Error(`There is no Deployment ${service}.`);
  const { spec } = found.template;
  const settings = (app.envFrom ?? []).flatMap((from) => Object.entries(configMap(manifests, from.configMapRef?.name)));
  const files = (app.volumeMounts ?? []).flatMap(({ name, mountPath }) => {
    const source = spec.volumes?.find((volume) => volume.name === name)?.configMap;
    return Object.entries(configMap(manifests, source?.name)).map(
      ([file, text]) => [`${mountPath}/${file}`, text] as const,
    );
  });
  return { spec, app, settings: new Map(settings), files: new Map(files) };
}

/** Reports whether labels match a selector. An empty selector matches all. */
export function fits(labels: Labels, { matchLabels = {}, matchExpressions = [] }: Selector): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`this test does not support the operator ${operator}`);
      return values.includes(labels[key] ?? '');
    })
  );
}
