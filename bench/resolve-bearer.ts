import { randomUUID } from 'node:crypto';
import { IdentityServiceService } from '@esd/proto/esd/identity/v1/identity';
import { processSettings, readConfig } from '@esd/service/config';
import { rpcClient } from '@esd/service/rpc/rpc-client';
import { serviceAssertions } from '@esd/service/auth/service-assertion';
import type { TestStack } from '@esd/testing/stack';
import { quantile } from './load.ts';
import type { Part, Row } from './report.ts';
import { timesOf } from './times-of.ts';

// Most routes use this target.
const TARGETS = ['esd.submission.v1.SubmissionService'];

/** Measures the call to identity-svc with which the gateway identifies the caller of a request. */
export async function resolveBearers(
  stack: TestStack,
  bearers: Readonly<Record<string, string>>,
  calls: number,
): Promise<Part> {
  const identity = rpcClient(IdentityServiceService, {
    service: 'identity-svc',
    target: stack.addresses['identity-svc']?.['grpc'] ?? '',
    serviceAssertions: serviceAssertions('gateway', readConfig(processSettings, stack.environment('gateway'))),
  });
  const rows: Row[] = [];
  try {
    for (const atOnce of [1, 8]) {
      for (const [what, bearer] of Object.entries(bearers)) {
        const resolve = () => identity.resolveBearer({ bearer, targets: TARGETS }, { requestId: randomUUID() });
        await timesOf(calls / 10, atOnce, resolve);
        const times = await timesOf(calls, atOnce, resolve);
        rows.push({
          bearer: what,
          concurrent: atOnce,
          'p50 ms': quantile(times, 0.5),
          'p99 ms': quantile(times, 0.99),
        });
      }
    }
  } finally {
    identity.channel.close();
  }
  const notes = [
    `${calls} calls of ResolveBearer each: one query, one ES256 signature; a session token is verified too.`,
  ];
  return { title: 'Resolving a bearer', notes, rows, targets: [] };
}
