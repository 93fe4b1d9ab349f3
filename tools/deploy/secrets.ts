/**
 * Makes the secrets of an installation.
 *
 *   secrets.ts env                    an .env for compose; what it reads on standard input is kept and completed
 *   secrets.ts kubernetes < esd.env   the same as Secrets, for kubectl apply -f -
 *   secrets.ts cluster                inside a cluster: creates the Secrets that are missing
 *
 *   --postgres HOST:PORT              where the services find PostgreSQL (default postgres:5432)
 *   --postgres-parameters TEXT        parameters of its address (default sslmode=verify-full with kubernetes, none with cluster)
 */
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { ownCluster } from './cluster-api.ts';
import { createClusterSecrets } from './cluster-secrets.ts';
import { completeEnvFile, readEnvFile } from './env-file.ts';
import { kubernetesSecrets } from './kubernetes-secrets.ts';
import { completeSecrets } from './secret-values.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    postgres: { type: 'string', default: 'postgres:5432' },
    'postgres-parameters': { type: 'string' },
  },
});
// A server of its own cluster has no certificate.
const usual = positionals[0] === 'cluster' ? '' : 'sslmode=verify-full';
const postgres = { address: options.postgres, parameters: options['postgres-parameters'] ?? usual };

switch (positionals[0]) {
  case 'env':
    process.stdout.write(completeEnvFile(await given()));
    break;
  case 'kubernetes': {
    const known = readEnvFile(await given());
    if (known.size === 0) fail('There are no secrets on standard input: kubernetes < esd.env, made by env > esd.env.');
    const items = kubernetesSecrets(completeSecrets(known), postgres);
    process.stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`);
    break;
  }
  case 'cluster':
    process.stdout.write(`changed: ${(await createClusterSecrets(ownCluster(), postgres)).join(', ') || 'nothing'}\n`);
    break;
  default:
    fail('What shall be made? env, kubernetes or cluster.');
}

async function given(): Promise<string> {
  return process.stdin.isTTY ? '' : text(process.stdin);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
