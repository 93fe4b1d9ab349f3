import { fileURLToPath } from 'node:url';
import { natsPermissions } from '@esd/dev-stack/nats-permissions';
import { services, usesNats, variableName } from '@esd/dev-stack/service-table';

/** Where the configuration of NATS for compose and Kubernetes is kept. */
export const natsFile = fileURLToPath(new URL('../../deploy/k8s/servers/nats.conf', import.meta.url));

/**
 * The configuration of the NATS server for compose and Kubernetes: the same users and permissions as those of the local stack,
 * with passwords from the environment (ESD_NATS_PASSWORD_*), and every message of a stream synced to disk before it is
 * acknowledged.
 */
export function natsConfiguration(): string {
  const users = services.filter(usesNats).map((service) => ({
    user: service.name,
    password: `$ESD_NATS_PASSWORD_${variableName(service.name)}`,
    permissions: natsPermissions(service),
  }));
  const configuration = {
    listen: '0.0.0.0:4222',
    http: '0.0.0.0:8222',
    server_name: 'esd',
    jetstream: { store_dir: '/data', sync_interval: 'always', max_memory_store: 64 * 1024 * 1024 },
    authorization: { users },
  };
  // The format is a superset of JSON in which a variable stands without quotes.
  const body = JSON.stringify(configuration, null, 2).replaceAll(/"(\$ESD_\w+)"/g, '$1');
  return `# Generated from libs/dev-stack/src/service-table.ts by \`npm run deploy:nats\`. A test fails if this file is out of date.\n${body}\n`;
}
