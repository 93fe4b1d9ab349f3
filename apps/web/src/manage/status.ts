import type { ResponseAt } from '@esd/api/operations';

export type Status = ResponseAt<'get', '/admin/status'>;
export type Service = Status['services'][number];
export type Replica = Service['replicas'][number];
export type Outbox = NonNullable<Service['outbox']>;
export type Consumer = NonNullable<Status['events']>['consumers'][number];
