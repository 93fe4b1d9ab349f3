/** The gRPC services: the `target` of a call in the metrics, and their names in /ready and in logs. */
export const SERVICES = ['dataset-svc', 'identity-svc', 'submission-svc', 'media-svc', 'export-svc'] as const;

export type ServiceName = (typeof SERVICES)[number];

export const PROCESSES = ['gateway', ...SERVICES] as const;

export type ProcessName = (typeof PROCESSES)[number];
