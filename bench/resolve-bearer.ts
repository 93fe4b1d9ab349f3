import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { IdentityServiceService } from '@esd/proto/esd/identity/v1/identity';
import { rpcClient } from '@esd/service/rpc-client';
import type { TestStack } from '@esd/testing/stack';
import { quantile } from './load.ts';
import type { Part, Row } from './report.ts';
import { timesOf } from './times-of.ts';

const secrets = z.looseObject({ 'service-token/gateway': z.string() });

/** What it costs a request to know its caller: the call to identity-svc as the gateway makes it. */
export async function resolveBearers(
  stack: TestStack,
  bearers: Readonly<Record<string, string>>,
  calls: number,
): Promise<Part> {
  const file = secrets.parse(JSON.parse(readFileSync(join(stack.dataDir, 'secrets.json'), 'utf8')));
  const identity = rpcClient(IdentityServiceService, {
    target: stack.addresses['identity-svc']?.['grpc'] ?? '',
    service: 'gateway',
    serviceToken: file['service-token/gateway'],
  });
  const rows: Row[] = [];
  try {
    for (const atOnce of [1, 8]) {
      for (const [what, bearer] of Object.entries(bearers)) {
        const resolve = () => identity.resolveBearer({ bearer }, { requestId: randomUUID() });
        await timesOf(calls / 10, atOnce, resolve);
        const times = await timesOf(calls, atOnce, resolve);
        rows.push({
          bearer: what,
          'at once': atOnce,
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
