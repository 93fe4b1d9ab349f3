import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterAll, expect, test } from '@jest/globals';
import { Client, credentials } from '@grpc/grpc-js';
import { root } from '@esd/dev-stack/root';
import { leaseStack } from '@esd/testing/leased-stack';

/** A request of the reflection protocol for the list of services: field 7, an empty text. */
const LIST_SERVICES = Buffer.from([0x3a, 0x00]);

const stack = await leaseStack('limited');
afterAll(() => stack.stop());

/** Returns the names of the gRPC services that the .proto files of a package declare. */
function declaredServices(name: string): string[] {
  const folder = join(root, 'proto', 'esd', name, 'v1');
  return readdirSync(folder).flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return [...text.matchAll(/^service (\w+)/gm)].map(([, service]) => `esd.${name}.v1.${service}`);
  });
}

test.each(['dataset', 'identity', 'submission', 'media', 'export'])('%s-svc lists its gRPC services', async (name) => {
  const client = new Client(stack.addresses[`${name}-svc`]?.['grpc'] ?? '', credentials.createInsecure());
  const call = client.makeBidiStreamRequest(
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    (bytes: Buffer) => bytes,
    (bytes) => bytes.toString('latin1'),
    { deadline: Date.now() + 60_000 },
  );
  try {
    call.write(LIST_SERVICES);
    const data: unknown[] = await once(call, 'data');
    const services = [...declaredServices(name), 'esd.common.v1.StatusService'];
    expect(services.length).toBeGreaterThan(1);
    for (const service of services) expect(String(data[0])).toContain(service);
  } finally {
    call.end();
    client.close();
  }
});
