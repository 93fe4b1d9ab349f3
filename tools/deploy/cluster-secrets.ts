import { type ClusterApi, findSecret, putSecret, type WantedSecret } from './cluster-api.ts';
import { kubernetesSecrets, type PostgresAddress } from './kubernetes-secrets.ts';
import { completeSecrets } from './secret-values.ts';

/** The Secret that holds all values, from which the others are made: a later run finds what was made before. */
export const ALL_SECRETS = 'esd-secrets';

const TRIES = 5;

/**
 * Makes the Secrets of an installation inside its cluster: completes the values that Secret `esd-secrets` holds, then brings the
 * Secrets of the processes and servers to them. Returns the names of those that it created or changed; none when all was there.
 * Can be repeated after a crash at any point. Throws an Error when the API server refuses.
 */
export async function createClusterSecrets(api: ClusterApi, postgres: PostgresAddress): Promise<string[]> {
  const changed: string[] = [];
  const bring = async (
    name: string,
    wish: (kept: ReadonlyMap<string, string>) => WantedSecret,
  ): Promise<WantedSecret> => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const kept = await findSecret(api, name);
      const wanted = wish(kept?.values ?? new Map());
      if (kept !== undefined && areEqual(kept.values, wanted.values)) return wanted;
      if (await putSecret(api, wanted, kept)) {
        changed.push(name);
        return wanted;
      }
    }
    throw new Error(`Secret ${name} is changed by somebody else all the time.`);
  };
  const labels = { 'app.kubernetes.io/part-of': 'electrospinning-dataset-service' };
  // First, and whole: nothing may be made from a value that is not kept.
  const { values } = await bring(ALL_SECRETS, (known) => ({
    name: ALL_SECRETS,
    labels,
    values: completeSecrets(known),
  }));
  for (const { metadata, stringData } of kubernetesSecrets(values, postgres)) {
    await bring(metadata.name, () => ({ ...metadata, values: new Map(Object.entries(stringData)) }));
  }
  return changed;
}

function areEqual(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean {
  return left.size === right.size && [...left].every(([key, value]) => right.get(key) === value);
}
