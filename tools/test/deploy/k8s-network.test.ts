import { describe, expect, test } from '@jest/globals';
import { internalHttpServices, gateway, services, usesNats, variableName } from '@esd/dev-stack/service-table';
import {
  fits,
  type Manifest,
  type NetworkPeer,
  overlays,
  renderOverlay,
  type Selector,
  workloads,
} from './manifests.ts';
import { settingsOf } from './process-settings.ts';

const inside = { grpc: 50_051, http: 8_081, public: 8_080 };
const serverPorts = { postgres: 5_432, nats: 4_222, 'object-store': 8_333 };

/** Returns the connections between the processes, as `from → to port`, that follow from their settings. */
async function expectedArrows(): Promise<string[]> {
  const called = await Promise.all(
    services.map(async ({ name }) => {
      const variables = [...(await settingsOf(name)).keys()];
      return services.flatMap((other) => {
        const prefix = `ESD_${variableName(other.name)}`;
        return [
          ...(variables.includes(`${prefix}_TARGET`) ? [`${name} → ${other.name} ${inside.grpc}`] : []),
          ...(variables.includes(`${prefix}_HTTP`) ? [`${name} → ${other.name} ${inside.http}`] : []),
        ];
      });
    }),
  );
  return called.flat();
}

const fromOutside = [
  ...services.map(({ name }) => `namespace esd/metrics=true → ${name} ${inside.http}`),
  `namespace esd/ingress=true → ${gateway} ${inside.public}`,
];

function serverUsers(): { server: keyof typeof serverPorts; users: string[] }[] {
  const names = (list: typeof services) => list.map(({ name }) => name);
  return [
    // The migration Jobs share one set of labels.
    { server: 'postgres', users: [...names(services.filter(({ database }) => database)), 'migrate'] },
    { server: 'nats', users: names(services.filter(usesNats)) },
    { server: 'object-store', users: names(services.filter(({ bucket }) => bucket)) },
  ];
}

const dns = (from: string): string[] =>
  ['UDP 53', 'TCP 53'].map(
    (port) => `${from} → namespace kubernetes.io/metadata.name=kube-system k8s-app=kube-dns ${port}`,
  );

/** Returns the connections that the NetworkPolicies allow, sorted. */
function policyArrows(manifests: readonly Manifest[]): { egress: string[]; ingress: string[] } {
  const pods = new Map(
    workloads(manifests).map(({ template: { metadata } }) => {
      return [metadata.labels['app.kubernetes.io/name'] ?? '', metadata.labels];
    }),
  );
  const podsOf = (selector: Selector): string[] => {
    return [...pods].filter(([, labels]) => fits(labels, selector)).map(([name]) => name);
  };
  const peers = (list: readonly NetworkPeer[] | undefined): string[] => {
    if (list === undefined) return ['anywhere'];
    return list.flatMap(({ podSelector, namespaceSelector, ipBlock }) => {
      if (ipBlock !== undefined) return [`address ${ipBlock.cidr}`];
      if (namespaceSelector !== undefined)
        return [`namespace ${text(namespaceSelector)} ${text(podSelector ?? {})}`.trim()];
      return podsOf(podSelector ?? {});
    });
  };
  const egress = new Set<string>();
  const ingress = new Set<string>();
  for (const { spec } of manifests.filter(({ kind }) => kind === 'NetworkPolicy')) {
    for (const pod of podsOf(spec?.podSelector ?? {})) {
      for (const { to, ports } of spec?.egress ?? []) {
        for (const peer of peers(to)) for (const port of portsOf(ports)) egress.add(`${pod} → ${peer} ${port}`);
      }
      for (const { from, ports } of spec?.ingress ?? []) {
        for (const peer of peers(from)) for (const port of portsOf(ports)) ingress.add(`${peer} → ${pod} ${port}`);
      }
    }
  }
  return { egress: [...egress].sort(), ingress: [...ingress].sort() };
}

function text({ matchLabels = {}, matchExpressions = [] }: Selector): string {
  if (matchExpressions.length > 0) throw new Error('this test supports only matchLabels for other namespaces');
  return Object.entries(matchLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}

function portsOf(ports: readonly { protocol: string; port: number }[] | undefined): string[] {
  if (ports === undefined) return ['any port'];
  return ports.map(({ protocol, port }) => (port === 53 ? `${protocol} ${port}` : String(port)));
}

describe.each(overlays)('the network policies of %s', (overlay) => {
  const manifests = renderOverlay(overlay);
  const { egress, ingress } = policyArrows(manifests);

  test('deny all other connections of every pod in both directions', () => {
    const all = manifests.filter(({ kind, spec }) => {
      return kind === 'NetworkPolicy' && JSON.stringify(spec?.podSelector) === '{}';
    });
    expect(all.map(({ spec }) => spec)).toEqual([{ podSelector: {}, policyTypes: ['Ingress', 'Egress'] }]);
    // Kubernetes ignores a rule whose direction is not in policyTypes.
    for (const { metadata, spec } of manifests.filter(({ kind }) => kind === 'NetworkPolicy')) {
      const named = new Set(spec?.policyTypes);
      const problem = `${metadata.name}: policyTypes`;
      expect([problem, named.has('Ingress') || spec?.ingress === undefined]).toEqual([problem, true]);
      expect([problem, named.has('Egress') || spec?.egress === undefined]).toEqual([problem, true]);
    }
  });

  test('allow exactly the incoming connections from processes and from outside', async () => {
    const servers = overlay === 'dev' ? serverUsers() : [];
    const toServers = servers.flatMap(({ server, users }) => {
      return users.map((user) => `${user} → ${server} ${serverPorts[server]}`);
    });
    expect(ingress).toEqual([...(await expectedArrows()), ...fromOutside, ...toServers].sort());
  });

  test('allow exactly the outgoing connections to processes, DNS and servers', async () => {
    const names = [...services.map(({ name }) => name), 'migrate'].flatMap(dns);
    const servers = serverUsers().flatMap(({ server, users }) =>
      users.map((user) => {
        if (overlay === 'dev') return `${user} → ${server} ${serverPorts[server]}`;
        const [cidr, port] = {
          postgres: ['<addresses of PostgreSQL, for example 10.20.0.0/24>', 5_432],
          nats: ['<addresses of NATS>', 4_222],
          'object-store': ['<addresses of the object store>', 443],
        }[server];
        return `${user} → address ${cidr} ${port}`;
      }),
    );
    const own =
      overlay === 'dev'
        ? ['secrets → anywhere 443', 'secrets → anywhere 6443']
        : ['identity-svc → address <addresses of the mail server> 587', 'dataset-svc → address 0.0.0.0/0 443'];
    expect(egress).toEqual([...(await expectedArrows()), ...names, ...servers, ...own].sort());
  });
});

test('the connections are those of the service table', async () => {
  const arrows = await expectedArrows();
  const pairs = new Set(arrows.map((arrow) => arrow.replace(/ \d+$/, '')));
  expect([...pairs].sort()).toEqual(services.flatMap(({ name, calls }) => calls.map((to) => `${name} → ${to}`)).sort());
  const bytes = arrows.filter((arrow) => arrow.endsWith(` ${inside.http}`)).map((arrow) => arrow.split(' ')[2]);
  expect([...new Set(bytes)].sort()).toEqual([...internalHttpServices].sort());
});
