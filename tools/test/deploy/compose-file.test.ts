import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readEnvFile } from '../../deploy/env-file.ts';
import { completeSecrets } from '../../deploy/secret-values.ts';
import { array, member, text } from '@esd/dev-stack/json-value';
import { root } from '@esd/dev-stack/root';
import { internalHttpServices, gateway, services, usesNats, variableName } from '@esd/dev-stack/service-table';
import { prometheusProgram } from '@esd/testing/prometheus-programs';
import { settingsOf } from './process-settings.ts';

interface ComposeService {
  image: string;
  build?: string;
  user?: string;
  command?: string[];
  profiles?: string[];
  environment?: Record<string, string | number | null>;
  networks?: string[];
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  [key: string]: unknown;
}

interface ComposeFile {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, null>;
}

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const source = read('docker-compose.yml');
const file = parse(source, { merge: true }) as ComposeFile; // other shapes fail below
const secrets = completeSecrets(new Map());
const settings = new Map([...secrets, ['ESD_PUBLIC_URL', 'http://localhost:8080'], ['ESD_DATASET_FILE', './d.json']]);
const processes = services.map(({ name }) => name);
const withTls = parse(read('deploy/compose-tls.yml'), { merge: true }) as ComposeFile;
/** The settings of compose-tls.yml only. */
const TLS = {
  ESD_TLS_CERT_FILE: '/tls/tls.crt',
  ESD_TLS_KEY_FILE: '/tls/tls.key',
  ESD_TLS_CA_FILE: '/tls/ca.crt',
};
const servers = ['postgres', 'nats', 'object-store', 'object-store-s3'];
const runsOnce = ['demo', 'objects'];
const observability = ['prometheus', 'grafana', 'jaeger'];

function composeService(name: string): ComposeService {
  const found = file.services[name];
  if (!found) throw new Error(`docker-compose.yml has no ${name}`);
  return found;
}

/** Interpolates a value as compose does from an `.env`. Throws if a required variable is missing. */
function interpolate(value: string, env: ReadonlyMap<string, string>): string {
  return value.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, mark?: string, rest?: string) => {
    const given = env.get(name);
    if (given) return given;
    if (mark === '-') return rest ?? '';
    throw new Error(`${name} ${rest ?? 'is missing'}`);
  });
}

/** Returns the environment of a container. A variable without a value is passed through from `.env`. */
function environmentOf(name: string, env: ReadonlyMap<string, string>): Map<string, string> {
  const entries = Object.entries(composeService(name).environment ?? {});
  return new Map(
    entries.flatMap(([variable, value]): [string, string][] => {
      if (value !== null) return [[variable, interpolate(String(value), env)]];
      const passed = env.get(variable);
      return passed === undefined ? [] : [[variable, passed]];
    }),
  );
}

function reaches(from: string, to: string): boolean {
  const networks = composeService(to).networks ?? [];
  return (composeService(from).networks ?? []).some((network) => networks.includes(network));
}

describe.each(services)('$name', (service) => {
  const { name, database, bucket, calls, environment = {} } = service;
  const { image, command, depends_on: waitsFor = {} } = composeService(name);
  const env = environmentOf(name, settings);

  test('runs from the common image', () => {
    expect(interpolate(image, new Map())).toBe('electrospinning-dataset-service');
    expect(command).toEqual([`apps/${name}/src/main.ts`]);
  });

  test('starts with only the secrets set, and accepts every setting that is not fixed', async () => {
    const settings = await settingsOf(name);
    const wrong = [...settings].filter(([variable, setting]) => !setting.safeParse(env.get(variable)).success);
    expect(wrong.map(([variable]) => variable)).toEqual([]);
    const known = Object.keys(composeService(name).environment ?? {});
    // The image sets the Git commit. The port is free in its container, and the image contains the web pages.
    const missing = [...settings.keys()].filter((variable) => !known.includes(variable));
    const free = name === gateway ? 'ESD_WEB_DIST' : 'ESD_GRPC_LISTEN';
    expect(missing).toEqual(['ESD_REVISION', ...Object.keys(TLS), free]);
    expect(known.filter((variable) => !settings.has(variable) && !(variable in environment))).toEqual([]);
    expect(Object.fromEntries(env)).toMatchObject(environment);
  });

  test('has only its own database, bucket, keys and user', () => {
    const suffix = variableName(name);
    expect(env.get('ESD_SERVICE_PRIVATE_KEYS')).toBe(secrets.get(`ESD_SERVICE_PRIVATE_KEYS_${suffix}`));
    const password = secrets.get(`ESD_DATABASE_PASSWORD_${suffix}`) ?? '';
    expect(env.get('ESD_DATABASE_URL')).toBe(
      database === undefined ? undefined : `postgres://${database}:${password}@postgres:5432/${database}`,
    );
    expect(env.get('ESD_NATS_USER')).toBe(usesNats(service) ? name : undefined);
    expect(env.get('ESD_NATS_PASSWORD')).toBe(secrets.get(`ESD_NATS_PASSWORD_${suffix}`));
    expect(env.get('ESD_S3_BUCKET')).toBe(bucket);
    expect(env.get('ESD_S3_SECRET_KEY')).toBe(secrets.get(`ESD_S3_SECRET_KEY_${suffix}`));
  });

  test('has the addresses of the services that it calls, and reaches only its own servers', () => {
    const targets = new Map([...env].filter(([variable]) => /_(TARGET|HTTP)$/.test(variable)));
    for (const called of calls) {
      const prefix = `ESD_${variableName(called)}`;
      const found = [targets.get(`${prefix}_TARGET`), targets.get(`${prefix}_HTTP`)].filter((one) => one !== undefined);
      expect(found.length).toBeGreaterThan(0);
      for (const one of found) expect([`dns:///${called}:50051`, `http://${called}:8081`]).toContain(one);
      expect(reaches(name, called)).toBe(true);
      if (name === gateway) {
        expect(targets.has(`${prefix}_TARGET`)).toBe(true);
        expect(targets.has(`${prefix}_HTTP`)).toBe(internalHttpServices.includes(called));
      }
    }
    const used = {
      postgres: database !== undefined,
      nats: usesNats(service),
      // The other ports of the store require no key.
      'object-store': false,
      'object-store-s3': bucket !== undefined,
    };
    for (const [server, uses] of Object.entries(used)) {
      expect([server, reaches(name, server)]).toEqual([server, uses]);
      expect([server, waitsFor[server]?.condition]).toEqual([server, uses ? 'service_healthy' : undefined]);
    }
    if (name === gateway) expect(Object.keys(waitsFor).sort()).toEqual([...calls].sort());
  });
});

test.each(services)('with TLS, $name has its own certificate and calls the others over HTTPS', ({ name }) => {
  const { environment, volumes, ...rest } = withTls.services[name] ?? {};
  const http = [...environmentOf(name, settings)].filter(([variable]) => variable.endsWith('_HTTP'));
  const https = http.map(([variable, url]) => [variable, url.replace('http:', 'https:')]);
  expect(environment).toEqual({ ...TLS, ...Object.fromEntries(https) });
  expect(volumes?.map((volume) => interpolate(volume, new Map([['ESD_TLS_DIR', '/certs']])))).toEqual([
    `/certs/${name}:/tls:ro`,
  ]);
  expect(rest).toEqual({});
});

describe('the file', () => {
  const all = Object.entries(file.services);

  test('has the processes, the servers, and profiles for everything else', () => {
    const always = all.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name);
    expect(always.sort()).toEqual([...processes, ...servers].sort());
    const inProfiles = all.filter(([, { profiles }]) => profiles !== undefined);
    expect(Object.fromEntries(inProfiles.map(([name, { profiles }]) => [name, profiles]))).toEqual({
      mail: ['mail'],
      demo: ['demo'],
      objects: ['backup'],
      ...Object.fromEntries(observability.map((name) => [name, ['observability']])),
    });
    // The image is built once.
    expect(all.filter(([, { build }]) => build !== undefined).map(([name]) => name)).toEqual([gateway]);
  });

  test.each(all)('%s is confined, limited, monitored and restarted', (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: runsOnce.includes(name) ? 'no' : 'unless-stopped',
      logging: { options: { 'max-size': '10m' } },
      pids_limit: expect.any(Number),
      mem_limit: expect.any(String),
    });
    for (const key of ['container_name', 'privileged', 'cap_add', 'network_mode', 'devices', 'pid']) {
      expect(service).not.toHaveProperty(key);
    }
    // Processes run as the user of the image. The object store runs as root, because it owns its volume.
    if (processes.includes(name) || runsOnce.includes(name)) expect(service.user).toBeUndefined();
    if (observability.includes(name)) expect(service.user).toMatch(/^[1-9]\d*:\d+$/);
    const check = service.healthcheck;
    if (runsOnce.includes(name)) expect(check).toEqual({ disable: true });
    // The image of the mail catcher has a health check.
    else if (name !== 'mail') expect(check?.test?.[0]).toBe('CMD');
  });

  test('publishes the gateway, and the tools only on loopback', () => {
    const published = all.filter(([, { ports }]) => ports !== undefined);
    expect(Object.fromEntries(published.map(([name, { ports }]) => [name, ports]))).toEqual({
      [gateway]: ['${ESD_PORT:-8080}:8080'],
      mail: ['127.0.0.1:${ESD_MAIL_PORT:-8025}:8025'],
      prometheus: ['127.0.0.1:${ESD_PROMETHEUS_PORT:-9090}:9090'],
      grafana: ['127.0.0.1:${ESD_GRAFANA_PORT:-3000}:3000'],
      jaeger: ['127.0.0.1:${ESD_JAEGER_PORT:-16686}:16686'],
    });
    const open = Object.entries(file.networks).filter(([, network]) => network?.internal !== true);
    expect(open.map(([network]) => network)).toEqual(['outside', 'lookups']);
    expect(processes.filter((name) => composeService(name).networks?.includes('lookups'))).toEqual(['dataset-svc']);
    for (const server of servers) expect(composeService(server).networks).not.toContain('outside');
  });

  test('reads every secret from .env, with an error message if it is missing', () => {
    for (const name of secrets.keys()) {
      const uses = source.match(new RegExp(`\\$\\{${name}\\b[^}]*\\}`, 'g')) ?? [];
      expect([name, uses.length > 0]).toEqual([name, true]);
      expect(uses.filter((use) => !/^\$\{\w+(:\?is missing in \.env; .*)?\}$/.test(use))).toEqual([]);
      expect([name, uses.some((use) => use.includes(':?'))]).toEqual([name, true]);
    }
  });

  test('pins third-party images', () => {
    for (const [, { image }] of all) {
      if (interpolate(image, new Map()) !== 'electrospinning-dataset-service')
        expect(interpolate(image, new Map())).toMatch(/^[a-z/]+:v?\d+\.\d[\w.-]*$/);
    }
  });

  test('configures the servers with the databases, passwords and buckets of the processes', () => {
    const databases = services.flatMap(({ database }) => database ?? []);
    const script = read('deploy/k8s/servers/create-databases.sh');
    const made = /for service in ([A-Z ]+);/.exec(script)?.[1]?.split(' ') ?? [];
    expect(made.map((name) => `esd_${name.toLowerCase()}`).sort()).toEqual(databases.sort());
    const passwords = (server: string): string[] => [...environmentOf(server, settings).keys()].sort();
    const of = (prefix: string): string[] => [...secrets.keys()].filter((name) => name.startsWith(prefix));
    expect(passwords('postgres')).toEqual([...of('ESD_DATABASE_PASSWORD_'), 'POSTGRES_PASSWORD'].sort());
    expect(passwords('nats')).toEqual(of('ESD_NATS_PASSWORD_').sort());
    expect(passwords('object-store')).toEqual(of('ESD_S3_').sort());
    const buckets = services.flatMap(({ bucket }) => bucket ?? []);
    expect(composeService('object-store').command).toContain(`-bucket=${buckets.join(',')}`);
  });

  test('mounts only volumes that it declares', () => {
    const mounts = all.flatMap(([, { volumes = [] }]) => volumes).filter((mount) => !/^[./$]/.test(mount));
    const named = new Set(mounts.map((mount) => mount.split(':')[0]));
    expect([...named].sort()).toEqual(Object.keys(file.volumes).sort());
  });
});

describe('the profile observability', () => {
  const folder = join(root, 'deploy', 'observability');

  test('reaches the processes, but neither PostgreSQL, NATS nor the object store', () => {
    for (const name of processes) expect([name, reaches('prometheus', name)]).toEqual([name, true]);
    for (const name of processes) expect([name, reaches(name, 'jaeger')]).toEqual([name, true]);
    for (const name of [...processes, ...servers].filter((one) => one !== gateway && one !== 'identity-svc'))
      expect([name, reaches('grafana', name)]).toEqual([name, false]);
    for (const name of servers)
      for (const from of observability) expect([from, name, reaches(from, name)]).toEqual([from, name, false]);
    expect(reaches('grafana', 'prometheus') && reaches('grafana', 'jaeger')).toBe(true);
  });

  test('mounts files that exist, with every dashboard and data source', () => {
    for (const name of observability) {
      for (const mount of composeService(name).volumes ?? []) {
        const [source = '', target] = mount.split(':');
        if (source.startsWith('.')) expect([target, existsSync(join(root, source))]).toEqual([target, true]);
      }
    }
    const sources = array(member(parse(read('deploy/observability/grafana/datasources.yml')), 'datasources'));
    expect(sources.map((one) => [member(one, 'type'), member(one, 'url')])).toEqual([
      ['prometheus', 'http://prometheus:9090'],
      ['jaeger', 'http://jaeger:16686'],
    ]);
    const [provider] = array(member(parse(read('deploy/observability/grafana/dashboards.yml')), 'providers'));
    const path = text(member(member(provider, 'options'), 'path'));
    expect(composeService('grafana').volumes).toContain(`./deploy/observability/dashboards:${path}:ro`);
    const home = text(composeService('grafana').environment?.['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH']);
    expect(existsSync(home.replace(path, join(folder, 'dashboards')))).toBe(true);
  });

  test('lets everyone on this machine read dashboards, and no one change them', () => {
    expect(composeService('grafana').environment).toMatchObject({
      GF_AUTH_ANONYMOUS_ENABLED: 'true',
      GF_AUTH_ANONYMOUS_ORG_ROLE: 'Viewer',
      GF_AUTH_DISABLE_LOGIN_FORM: 'true',
      GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: 'true',
    });
  });

  test.each(['prometheus.yml', 'prometheus-tls.yml'])('%s scrapes every process under its name', (config) => {
    const jobs = array(member(parse(read(`deploy/observability/${config}`)), 'scrape_configs'));
    const targets = jobs.flatMap((job) => array(member(job, 'dns_sd_configs')));
    expect(targets.flatMap((target) => array(member(target, 'names'))).sort()).toEqual([...processes].sort());
    for (const target of targets) expect(target).toMatchObject({ type: 'A', port: 8081 });
    for (const job of jobs) {
      expect(member(job, 'relabel_configs')).toEqual([{ source_labels: ['__meta_dns_name'], target_label: 'service' }]);
      if (config === 'prometheus.yml') expect(member(job, 'scheme')).toBeUndefined();
      else {
        expect(job).toMatchObject({
          scheme: 'https',
          tls_config: { ca_file: '/tls/ca.crt', server_name: member(job, 'job_name') },
        });
      }
    }
    const promtool = prometheusProgram('promtool');
    if (promtool === undefined) return;
    // The same folder as in the container.
    const mounted = mkdtempSync(join(tmpdir(), 'esd-prometheus-'));
    try {
      copyFileSync(join(folder, 'rules.yaml'), join(mounted, 'rules.yaml'));
      writeFileSync(join(mounted, 'ca.crt'), '');
      const file = join(mounted, 'prometheus.yml');
      writeFileSync(file, read(`deploy/observability/${config}`).replaceAll('/tls/ca.crt', join(mounted, 'ca.crt')));
      const { status, stdout, stderr } = spawnSync(promtool, ['check', 'config', file], { encoding: 'utf8' });
      expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
    } finally {
      rmSync(mounted, { recursive: true });
    }
  });

  test('with TLS, Prometheus reads the configuration and the authority for it', () => {
    expect(withTls.services['prometheus']?.volumes).toEqual([
      './deploy/observability/prometheus-tls.yml:/etc/prometheus/prometheus.yml:ro',
      expect.stringMatching(/^\$\{ESD_TLS_DIR:\?.*\}\/gateway\/ca\.crt:\/tls\/ca\.crt:ro$/),
    ]);
  });
});

test.each(['gateway', 'identity-svc', 'export-svc'])('%s requires ESD_PUBLIC_URL', (service) => {
  expect(() => environmentOf(service, secrets)).toThrow('ESD_PUBLIC_URL is missing in .env');
});

test.each(['gateway', 'export-svc', 'dataset-svc'])('%s requires ESD_DATASET_FILE and mounts the file', (service) => {
  const [mount = ''] = composeService(service).volumes?.filter((volume) => volume.includes('ESD_DATASET_FILE')) ?? [];
  expect(() => interpolate(mount, secrets)).toThrow('ESD_DATASET_FILE is missing in .env');
  expect(interpolate(mount, settings)).toBe(`./d.json:${environmentOf(service, settings).get('ESD_DATASET_FILE')}:ro`);
});

test('.env.example has no secret and only variables that compose knows', () => {
  const example = read('.env.example');
  // Commented-out lines must be valid too.
  const values = readEnvFile(example.replaceAll(/^# (?=[A-Z_]+=)/gm, ''));
  expect(values.size).toBeGreaterThan(4);
  const known = new Set(
    [...source.matchAll(/^ +([A-Z_]+):|\$\{([A-Z_]+)/gm)].map(([, passed, used]) => passed ?? used),
  );
  for (const name of values.keys()) {
    expect([name, known.has(name)]).toEqual([name, true]);
    expect([name, secrets.has(name)]).toEqual([name, false]);
  }
});

test('the image has the version and Node of the repository, an unprivileged user, no shell, and only allowed files', () => {
  const dockerfile = read('Dockerfile');
  const version = text(member(JSON.parse(read('package.json')), 'version'));
  expect(dockerfile).toContain(`org.opencontainers.image.version="${version}"`);
  expect(dockerfile).toMatch(/^USER 10001:10001$/m);
  expect(dockerfile).toMatch(/^ENTRYPOINT \["node"\]$/m);
  expect([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)).toEqual(Array(5).fill('${NODE_IMAGE}'));
  const node = text(member(member(JSON.parse(read('libs/runtime/package.json')), 'dependencies'), 'node'));
  expect(/^ARG NODE_IMAGE=(.*)$/m.exec(dockerfile)?.[1]).toBe(`node:${node}-bookworm-slim`);
  const rules = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(rules[0]).toBe('*');
  expect(rules.filter((rule) => rule.includes('.env') || rule === '!.git')).toEqual([]);
});
