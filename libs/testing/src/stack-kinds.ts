import type { TestStackOptions } from './stack.ts';

/** Whose pages may write to the moderated and the fresh stacks. */
export const CORS_ORIGINS = ['https://form.example.org', 'https://other.example.org'];

export interface KindOptions {
  options: TestStackOptions;
  /** How many there may be in one test run. */
  max: number;
  /** Several test files use it at once. */
  shared?: true;
}

const MODERATED: TestStackOptions = {
  empty: true,
  env: { ESD_CORS_ORIGINS: CORS_ORIGINS.join() },
};

/**
 * The stacks that test files share, one file at a time except where a kind is `shared`. A file finds what others have left:
 * it uses accounts and records that it made itself, and counts from what was there before.
 */
export const STACK_KINDS = {
  /** With the demo dataset; tests submit to it, but never approve. */
  demo: { options: {}, max: 1, shared: true },
  /** For tests that need a system that no one has used. It is a moderated one afterwards. */
  fresh: { options: MODERATED, max: Infinity },
  /** For tests that approve, freeze, delete, kill and restart. */
  moderated: { options: MODERATED, max: 3 },
  /** Behind a proxy, so that each request can come from its own address, with all limits of a public service. */
  limited: {
    options: {
      empty: true,
      env: {
        ESD_RATE_LIMITS: 'on',
        ESD_TRUSTED_PROXIES: '1',
        ESD_ANONYMOUS_PENDING: '500',
        ESD_FEEDBACK_DAILY: '50',
      },
    },
    max: 1,
  },
  /** For tests of what staff may do where a deployment requires two-factor sign-in. */
  twoFactor: { options: { empty: true, env: { ESD_REQUIRE_TWO_FACTOR: 'staff' } }, max: 1 },
  /** With two replicas of the processes that share state; a moderated one in a run without the matrices. */
  replicated: {
    options: { ...MODERATED, replicas: { gateway: 2, 'dataset-svc': 2, 'submission-svc': 2 } },
    max: 1,
  },
} satisfies Record<string, KindOptions>;

export type StackKind = keyof typeof STACK_KINDS;

/** The kind of the stack that tests get which ask for `kind`: replicas are for runs with the matrices. */
export function kindOfRun(kind: StackKind): StackKind {
  return kind === 'replicated' && process.env['ESD_TEST_MATRICES'] === undefined ? 'moderated' : kind;
}
