/**
 * Makes the secrets of an installation.
 *
 *   secrets.ts env                    an .env for compose; what it reads on standard input is kept and completed
 *   secrets.ts kubernetes < esd.env   the same as Secrets, for kubectl apply -f -
 *   secrets.ts cluster                inside a cluster: creates the Secrets that are missing
 *
 *   --postgres HOST:PORT              where the services find PostgreSQL (default postgres:5432)
 *   --postgres-parameters TEXT        parameters of its address, for example sslmode=verify-full
 */
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { ownCluster } from './cluster-api.ts';
import { createClusterSecrets } from './cluster-secrets.ts';
import { readEnvFile, writeEnvFile } from './env-file.ts';
import { kubernetesSecrets } from './kubernetes-secrets.ts';
import { completeSecrets } from './secret-values.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    postgres: { type: 'string', default: 'postgres:5432' },
    'postgres-parameters': { type: 'string', default: '' },
  },
});
const postgres = { address: options.postgres, parameters: options['postgres-parameters'] };

switch (positionals[0]) {
  case 'env':
    process.stdout.write(writeEnvFile(completeSecrets(await given())));
    break;
  case 'kubernetes': {
    const known = await given();
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

async function given(): Promise<Map<string, string>> {
  return process.stdin.isTTY ? new Map() : readEnvFile(await text(process.stdin));
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
