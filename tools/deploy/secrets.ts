/**
 * Creates the secrets of an installation.
 *
 *   secrets.ts env                    completes the .env on standard input, and prints it for compose
 *   secrets.ts kubernetes < esd.env   prints the same secrets for `kubectl apply -f -`
 *   secrets.ts cluster                creates the missing Secrets from inside a cluster
 *
 *   --postgres HOST:PORT              address of PostgreSQL (default postgres:5432)
 *   --postgres-parameters TEXT        parameters of its URL (default sslmode=verify-full with kubernetes, none with cluster)
 */
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { ownCluster } from './cluster-api.ts';
import { createClusterSecrets } from './cluster-secrets.ts';
import { completeEnvFile, readEnvFile } from './env-file.ts';
import { databaseRoleSecrets, kubernetesSecrets } from './kubernetes-secrets.ts';
import { completeSecrets } from './secret-values.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    postgres: { type: 'string', default: 'postgres:5432' },
    'postgres-parameters': { type: 'string' },
  },
});
// The PostgreSQL server inside the cluster has no certificate.
const usual = positionals[0] === 'cluster' ? '' : 'sslmode=verify-full';
const postgres = { address: options.postgres, parameters: options['postgres-parameters'] ?? usual };

switch (positionals[0]) {
  case 'env':
    process.stdout.write(completeEnvFile(await given()));
    break;
  case 'kubernetes': {
    const known = readEnvFile(await given());
    if (known.size === 0)
      fail('Standard input has no secrets. Usage: secrets.ts env > esd.env; secrets.ts kubernetes < esd.env');
    const secrets = completeSecrets(known);
    const items = [...kubernetesSecrets(secrets, postgres), ...databaseRoleSecrets(secrets)];
    process.stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`);
    break;
  }
  case 'cluster':
    process.stdout.write(`changed: ${(await createClusterSecrets(ownCluster(), postgres)).join(', ') || 'nothing'}\n`);
    break;
  default:
    fail('Usage: secrets.ts env|kubernetes|cluster');
}

async function given(): Promise<string> {
  return process.stdin.isTTY ? '' : text(process.stdin);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
