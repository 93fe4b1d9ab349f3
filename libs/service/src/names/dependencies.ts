import { SERVICES } from './services.ts';

/** The dependencies of the processes, by their names in /ready. */
export const DEPENDENCIES = ['postgres', 'nats', 'object-store', 'mail', 'read-index', ...SERVICES] as const;

export type DependencyName = (typeof DEPENDENCIES)[number];
