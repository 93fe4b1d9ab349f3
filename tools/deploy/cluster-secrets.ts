import { type ClusterApi, findSecret, putSecret, type DesiredSecret } from './cluster-api.ts';
import { kubernetesSecrets, type PostgresAddress } from './kubernetes-secrets.ts';
import { completeSecrets } from './secret-values.ts';

/** The Secret with all values, from which the others are derived. A later run reads it. */
export const ALL_SECRETS = 'esd-secrets';

const TRIES = 5;

/**
 * Creates the Secrets of an installation inside its cluster: completes the values of Secret `esd-secrets`, then updates the Secrets of the
 * processes and servers. Returns the names of created or changed Secrets. Can be repeated after a crash at any point. Throws an Error if
 * the API server refuses.
 */
export async function createClusterSecrets(api: ClusterApi, postgres: PostgresAddress): Promise<string[]> {
  const changed: string[] = [];
  const apply = async (
    name: string,
    desired: (stored: ReadonlyMap<string, string>) => DesiredSecret,
  ): Promise<DesiredSecret> => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const stored = await findSecret(api, name);
      const wanted = desired(stored?.values ?? new Map());
      if (stored !== undefined && areEqual(stored.values, wanted.values)) return wanted;
      if (await putSecret(api, wanted, stored)) {
        changed.push(name);
        return wanted;
      }
    }
    throw new Error(`Secret ${name} was changed by another client during each of ${TRIES} attempts. Try again.`);
  };
  const labels = { 'app.kubernetes.io/part-of': 'electrospinning-dataset-service' };
  // Stored first and completely: no Secret may be derived from a value that is not stored.
  const { values } = await apply(ALL_SECRETS, (known) => ({
    name: ALL_SECRETS,
    labels,
    values: completeSecrets(known),
  }));
  for (const { metadata, stringData } of kubernetesSecrets(values, postgres)) {
    await apply(metadata.name, () => ({ ...metadata, values: new Map(Object.entries(stringData)) }));
  }
  return changed;
}

function areEqual(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean {
  return left.size === right.size && [...left].every(([key, value]) => right.get(key) === value);
}
