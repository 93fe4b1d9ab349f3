import { fileURLToPath } from 'node:url';
import { natsPermissions } from '@esd/dev-stack/nats-permissions';
import { services, usesNats, variableName } from '@esd/dev-stack/service-table';

export const natsFile = fileURLToPath(new URL('../../deploy/k8s/servers/nats.conf', import.meta.url));

/**
 * Returns the NATS configuration for compose and Kubernetes. Users and permissions are those of the local stack; passwords come from the
 * environment (ESD_NATS_PASSWORD_*). Messages are synced to disk before the acknowledgment.
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
  // The format is a superset of JSON, with variables outside quotes.
  const body = JSON.stringify(configuration, null, 2).replaceAll(/"(\$ESD_\w+)"/g, '$1');
  return `# Generated from libs/dev-stack/src/service-table.ts by \`npm run deploy:nats\`. A test fails if this file is out of date.\n${body}\n`;
}
