import type { Caller } from '@esd/service/auth/caller-assertion';
import type { CallGuard } from '@esd/service/auth/call-guard';
import { METADATA } from '@esd/service/rpc/rpc-metadata';
import type { ServiceAssertions } from '@esd/service/auth/service-assertion';

/** What a process sends that only says its name, for `trustingGuard`. */
export const namedPeer =
  (name: string): ServiceAssertions =>
  () => ({ [METADATA.service]: name });

/** Lets every call in, in the name that it gives, for tests of what lies behind the guard; `callerOf` reads an assertion. */
export function trustingGuard(callerOf: (assertion: string) => Caller = nobody): CallGuard {
  return ({ header }) => {
    const assertion = header(METADATA.assertion);
    const caller = assertion === undefined ? undefined : callerOf(assertion);
    return { peer: header(METADATA.service) ?? 'gateway', caller };
  };
}

function nobody(): never {
  throw new Error('nobody stands behind a call in this test');
}
