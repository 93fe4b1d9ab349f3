import { StackError } from '../stack/stack-error.ts';
import type { PostgresAddress } from './kubernetes-secrets.ts';

/** Not there yet. */
export function createClusterSecrets(_postgres: PostgresAddress): Promise<void> {
  return Promise.reject(new StackError('not written yet'));
}
