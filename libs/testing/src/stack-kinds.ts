import { networkInterfaces } from 'node:os';
import type { TestStackOptions } from './stack.ts';

/** Origins whose pages can send writes to the moderated and the fresh stacks. */
export const CORS_ORIGINS = ['https://form.example.org', 'https://other.example.org'];

export interface KindOptions {
  options: TestStackOptions;
  max: number;
  /** Set if several test files use it at the same time. */
  shared?: true;
}

export const HAS_IPV6 = Object.values(networkInterfaces()).some((one = []) =>
  one.some(({ address }) => address === '::1'),
);

const MODERATED: TestStackOptions = {
  empty: true,
  env: { ESD_CORS_ORIGINS: CORS_ORIGINS.join() },
};

/**
 * The stacks that test files share, one file at a time unless the kind is `shared`. A stack contains data of earlier files, so a file uses
 * only its own accounts and records, and counts from the state that it finds.
 */
export const STACK_KINDS = {
  /** With the demo dataset. Tests can submit to it, but must not approve. */
  demo: { options: {}, max: 1, shared: true },
  /** For tests that need an unused system. Afterwards, the stack becomes a moderated one. */
  fresh: { options: MODERATED, max: Infinity },
  /** For tests that approve, freeze, delete, kill and restart. */
  moderated: { options: MODERATED, max: 3 },
  /** With all limits of a public service, behind a proxy, so that each request can have its own address, and with gRPC reflection. */
  limited: {
    options: {
      empty: true,
      env: {
        ESD_RATE_LIMITS: 'on',
        ESD_TRUSTED_PROXIES: '1',
        ESD_ANONYMOUS_PENDING: '500',
        ESD_FEEDBACK_DAILY: '50',
        ESD_REFLECTION: 'on',
      },
    },
    max: 1,
  },
  /** For tests of staff permissions with required two-factor sign-in. All services listen on ::1 alone if this machine has IPv6. */
  twoFactor: {
    options: { empty: true, env: { ESD_REQUIRE_TWO_FACTOR: 'staff' }, host: HAS_IPV6 ? '::1' : '127.0.0.1' },
    max: 1,
  },
  /** With two replicas of the processes that share state. In a run without the matrices it is a moderated one. */
  replicated: {
    options: { ...MODERATED, replicas: { gateway: 2, 'dataset-svc': 2, 'submission-svc': 2 } },
    max: 1,
  },
} satisfies Record<string, KindOptions>;

export type StackKind = keyof typeof STACK_KINDS;

/** Returns the kind that serves requests for `kind`: only runs with the matrices have replicas. */
export function kindOfRun(kind: StackKind): StackKind {
  return kind === 'replicated' && process.env['ESD_TEST_MATRICES'] === undefined ? 'moderated' : kind;
}
